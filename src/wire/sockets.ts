/** The frames of WebSockets: JSON objects, as text, with a `type`. Clients must ignore unknown fields and types. */
import { z } from "zod";
import { DeploymentChange, ProjectTaskEvent } from "./streams.ts";
import { AnswerContent, ApprovalResponse } from "./approval-response.ts";
import { MAX_CHANGED_PATHS } from "./changed-paths.ts";
import { ChatEvent } from "./task-events.ts";

const size = z.number().int().min(1).max(1_000);

const InputFrame = z
  .object({ type: z.literal("input"), data: z.string() })
  .meta({ id: "InputFrame", description: "What the person typed" });
const ResizeFrame = z
  .object({ type: z.literal("resize"), cols: size, rows: size })
  .meta({ id: "ResizeFrame" });
const SelectFrame = z
  .object({ type: z.literal("select"), target_id: z.string().max(100) })
  .meta({ id: "SelectFrame", description: "The answer to `select_container`" });
const OpenTerminalFrame = z
  .object({ type: z.literal("open_terminal"), target: z.string().max(100).nullish() })
  .meta({ id: "OpenTerminalFrame" });
const SwitchContainerFrame = z
  .object({ type: z.literal("switch_container"), container_id: z.string().max(100) })
  .meta({ id: "SwitchContainerFrame", description: "Show the log of this container" });
export const PingFrame = z.object({ type: z.literal("ping") }).meta({ id: "PingFrame" });
export const PongFrame = z.object({ type: z.literal("pong") }).meta({ id: "PongFrame" });

/** Frames of clients of terminals and logs. */
export const ProjectClientFrame = z
  .discriminatedUnion("type", [
    InputFrame,
    ResizeFrame,
    SelectFrame,
    OpenTerminalFrame,
    SwitchContainerFrame,
    PingFrame,
  ])
  .meta({ id: "ProjectClientFrame" });
export const TerminalClientFrame = z
  .discriminatedUnion("type", [InputFrame, ResizeFrame, SelectFrame, PingFrame])
  .meta({ id: "TerminalClientFrame" });
export const LogsClientFrame = z
  .discriminatedUnion("type", [SwitchContainerFrame, PingFrame])
  .meta({ id: "LogsClientFrame" });

/** A client's name for its frame: `request_done` or an `error` with the same name tells how it went. */
export const RequestId = z.string().max(100).nullish();

/** Frames of clients of chats besides messages. */
export const ChatCommandFrame = z.discriminatedUnion("type", [
  PingFrame,
  z
    .object({
      type: z.literal("approval_response"),
      approval_id: z.string().max(100),
      response: ApprovalResponse,
      content: AnswerContent,
      reason: z.string().max(2_000).nullish().describe("With `stop`: why, which the agent reads"),
      request_id: RequestId,
    })
    .meta({ id: "ApprovalResponseFrame" }),
  z
    .object({ type: z.literal("cancel"), task_id: z.string().max(100), request_id: RequestId })
    .meta({ id: "CancelTaskFrame" }),
  z
    .object({
      type: z.literal("resume"),
      task_id: z.uuid(),
      last_event_id: z.coerce.number().int().nonnegative().default(0),
    })
    .meta({ id: "ResumeTaskFrame", description: "Send the events of this task after that one" }),
]);

const Message = z.object({ message: z.string() });

/** A notice to users who have a project open while it changes. */
export const ProjectNotice = z
  .union([
    z
      .object({ type: z.literal("idle_warning"), minutes_until_shutdown: z.number(), ...Message.shape })
      .meta({ id: "IdleWarningNotice" }),
    z
      .object({ type: z.literal("environment_stopping"), ...Message.shape })
      .meta({ id: "EnvironmentStoppingNotice" }),
    z
      .object({ type: z.literal("environment_stopped"), reason: z.string(), ...Message.shape })
      .meta({ id: "EnvironmentStoppedNotice" }),
    z
      .object({ type: z.enum(["volume_restoring", "volume_ready"]), ...Message.shape })
      .meta({ id: "VolumeNotice" }),
    DeploymentChange,
    z
      .object({
        container_status: z.string(),
        phase: z.string(),
        progress: z.number().describe("Percent"),
        ...Message.shape,
      })
      .meta({ id: "ContainerProgressNotice", description: "Progress of a start or a stop" }),
  ])
  .meta({ id: "ProjectNotice" });
export type ProjectNotice = z.output<typeof ProjectNotice>;

/** A place where a terminal may be opened, as clients show it. */
const Target = z
  .object({
    id: z.string(),
    name: z.string(),
    type: z.string(),
    status: z.string(),
    port: z.number().nullable(),
    container_directory: z.string(),
  })
  .meta({ id: "TerminalChoice" });
export type Target = z.output<typeof Target>;

const StatusUpdateFrame = z
  .object({ type: z.literal("status_update"), payload: ProjectNotice })
  .meta({ id: "StatusUpdateFrame" });

const FilesChangedFrame = z
  .object({
    type: z.literal("files_changed"),
    paths: z
      .array(z.string())
      .max(MAX_CHANGED_PATHS)
      .optional()
      .describe("Files and directories that have changed; absent where any file may have changed"),
  })
  .meta({
    id: "FilesChangedFrame",
    description: "Files of the project have changed. It has no id, and is not sent again after a reconnect",
  });

/** Clients of chats read `content` and `data`; other sockets carry only the message. */
const ErrorFrame = z
  .object({
    type: z.literal("error"),
    message: z.string(),
    content: z.string().optional(),
    data: z
      .looseObject({
        message: z.string(),
        code: z.string().optional(),
        retry_after_seconds: z.number().optional(),
      })
      .optional()
      .describe("Also further facts, such as the `limit` that was reached"),
    task_id: z.string().optional().describe("The task that the error is about"),
    idempotency_key: z.string().optional().describe("The key of the message that the error refuses"),
    request_id: z.string().optional().describe("The client's name of the frame that the error refuses"),
  })
  .meta({ id: "SocketErrorFrame" });
export type ErrorFrame = z.output<typeof ErrorFrame>;

const ProvisioningFrame = z
  .object({ type: z.literal("provisioning"), message: z.string() })
  .meta({ id: "ProvisioningFrame", description: "The place of the terminal is being prepared" });
const SelectContainerFrame = z
  .object({ type: z.literal("select_container"), targets: z.array(Target) })
  .meta({ id: "SelectContainerFrame" });
const ReadyFrame = z.object({ type: z.literal("ready"), session_id: z.string(), position: z.number() }).meta({
  id: "TerminalReadyFrame",
  description: "The terminal accepts input; a new socket resumes with the session's id and position",
});
const OutputFrame = z
  .object({
    type: z.literal("output"),
    data: z.string(),
    position: z.number().describe("The position after the last byte of `data` in the session's output"),
  })
  .meta({ id: "OutputFrame" });
const ContainersFrame = z
  .object({
    type: z.literal("containers"),
    data: z.array(z.object({ id: z.string(), name: z.string(), status: z.string(), type: z.string() })),
  })
  .meta({ id: "ContainersFrame" });
const LogFrame = z
  .object({ type: z.literal("log"), data: z.string(), container_id: z.string() })
  .meta({ id: "LogFrame" });

const names = { task_id: z.string(), chat_id: z.string() };
const AgentEventFrame = z
  .object({
    type: z.literal("agent_event"),
    ...names,
    event_id: z.number().optional().describe("Absent for what is not in the task's log"),
    payload: ProjectTaskEvent,
  })
  .meta({ id: "AgentEventFrame", description: "An event of a task that another client has started" });
const MessageAcceptedFrame = z
  .object({
    type: z.literal("message_accepted"),
    ...names,
    idempotency_key: z.string().optional().describe("The message's key, if it has one"),
    data: z.object(names),
  })
  .meta({ id: "MessageAcceptedFrame", description: "The message is stored, and its task has this id" });

const RequestDoneFrame = z.object({ type: z.literal("request_done"), request_id: z.string() }).meta({
  id: "RequestDoneFrame",
  description: "The answer or cancellation with this name has taken effect",
});

const terminal = [ProvisioningFrame, SelectContainerFrame, ReadyFrame, OutputFrame] as const;
const logs = [ContainersFrame, LogFrame] as const;
const shared = [StatusUpdateFrame, PongFrame, ErrorFrame] as const;
const files = [FilesChangedFrame] as const;
const chat = [AgentEventFrame, MessageAcceptedFrame, RequestDoneFrame] as const;

/** Frames that the object of a project builds; events of a socket's own tasks are sent bare besides. */
const ServerFrame = z.discriminatedUnion("type", [...terminal, ...logs, ...chat, ...files, ...shared]);
export type ServerFrame = z.output<typeof ServerFrame>;

export const TerminalServerFrame = z
  .discriminatedUnion("type", [...terminal, ...shared])
  .meta({ id: "TerminalServerFrame" });
export const LogsServerFrame = z
  .discriminatedUnion("type", [...logs, ...shared])
  .meta({ id: "LogsServerFrame" });
export const ProjectServerFrame = z
  .discriminatedUnion("type", [...terminal, ...logs, ...files, ...shared])
  .meta({ id: "ProjectServerFrame" });

const OwnTaskEvent = z
  .intersection(
    ChatEvent,
    z.object({ ...names, event_id: z.number().optional().describe("Absent for `waiting`") }),
  )
  .meta({ id: "OwnTaskEvent", description: "An event of a task that this client has started, or resumed" });

export const ChatServerFrame = z
  .union([z.discriminatedUnion("type", [...chat, ...files, ...shared]), OwnTaskEvent])
  .meta({ id: "ChatServerFrame" });
