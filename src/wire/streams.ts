/** What the streams of Server-Sent Events send besides the events of one task. */
import { z } from "zod";
import { ChatEvent } from "./task-events.ts";

const ProjectStreamReady = z
  .object({ type: z.literal("ready") })
  .meta({ id: "ProjectStreamReady", description: "The first frame" });

const ProjectStreamError = z
  .object({ type: z.literal("error"), message: z.string(), task_id: z.string().optional() })
  .meta({
    id: "ProjectStreamError",
    description: "Access has ended or, with a `task_id`, that task's events cannot be read",
  });

/** The message of a task, which another client has sent. It is not an event of the log and has no id. */
const UserMessageEvent = z
  .object({
    type: z.literal("user_message"),
    content: z.string(),
    data: z.object({
      content: z.string(),
      user_id: z.string(),
      user_name: z.string().optional(),
      created_at: z.string(),
    }),
  })
  .meta({ id: "UserMessageEvent", description: "The message that another client has sent. It has no id" });
export type UserMessageEvent = z.output<typeof UserMessageEvent>;

/** What is shown of a task whose message came from another client. */
export const ProjectTaskEvent = z
  .discriminatedUnion("type", [...ChatEvent.options, UserMessageEvent])
  .meta({ id: "ProjectTaskEvent" });
export type ProjectTaskEvent = z.output<typeof ProjectTaskEvent>;

const ProjectStreamEvent = z
  .object({ chat_id: z.string(), task_id: z.string(), event: ProjectTaskEvent })
  .meta({ id: "ProjectStreamEvent", description: "An event of one of the project's tasks" });

/** A frame of a project's stream. */
export const ProjectStreamFrame = z
  .union([ProjectStreamEvent, ProjectStreamReady, ProjectStreamError])
  .meta({ id: "ProjectStreamFrame" });
export type ProjectStreamFrame = z.output<typeof ProjectStreamFrame>;

/** A frame of the simple chat stream. */
export const SimpleChatFrame = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("message"), content: z.string() }).meta({
      id: "SimpleMessageFrame",
      description: "The agent's text of a turn, or why the message waits",
    }),
    z
      .object({
        type: z.literal("tool_execution"),
        tool: z.string(),
        args: z.record(z.string(), z.unknown()),
        result: z.string(),
      })
      .meta({ id: "SimpleToolFrame", description: "A tool has run" }),
    z
      .object({
        type: z.literal("error"),
        error: z.string(),
        content: z.string().optional(),
        data: z.object({ message: z.string(), code: z.string().optional() }).optional(),
      })
      .meta({ id: "SimpleErrorFrame", description: "The task has failed or was cancelled" }),
  ])
  .meta({ id: "SimpleChatFrame" });
export type SimpleChatFrame = z.output<typeof SimpleChatFrame>;

const DeploymentState = z.object({
  deployment_id: z.string(),
  provider: z.string(),
  status: z.string(),
  deployment_url: z.string().nullable(),
  error: z.string().nullable(),
});

/** A deployment has changed. */
export const DeploymentChange = z
  .object({ type: z.literal("deployment"), ...DeploymentState.shape })
  .meta({ id: "DeploymentChange", description: "A deployment has changed" });
export type DeploymentChange = z.output<typeof DeploymentChange>;

/** An event of a deployment's stream. */
export const DeploymentEvent = z
  .discriminatedUnion("type", [
    z
      .object({ type: z.literal("log"), line: z.int(), text: z.string() })
      .meta({ id: "DeploymentLogEvent", description: "A line of the log. Its number is the event's id" }),
    DeploymentChange,
    z
      .object({ type: z.literal("done"), ...DeploymentState.shape })
      .meta({ id: "DeploymentDoneEvent", description: "The last event" }),
  ])
  .meta({ id: "DeploymentEvent" });
export type DeploymentEvent = z.output<typeof DeploymentEvent>;
