import type { TakeDeps } from "#src/domain/workspaces/archives/index.ts";
import { awake, awakeRuntime } from "#src/domain/workspaces/lifecycle/index.ts";
import type { ChooseModelDeps } from "#src/domain/models/model-keys/index.ts";
import {
  taskEvents,
  type ChatSummary,
  type ClaimedTask,
  type FinishDeps,
} from "#src/domain/agent-work/tasks/index.ts";
import type { ThinkingEffort } from "#src/models/thinking.ts";
import type { McpClient } from "#src/platform/mcp-client/mcp-client.ts";
import type { McpOAuth } from "#src/platform/mcp-oauth/mcp-oauth.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Begun } from "#src/platform/objects/task-logs.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { AutoTitle } from "../chats/auto-title.ts";
import { chatSummary, type PlacedMessage } from "../context/chat-summary.ts";
import { Compaction } from "../context/compaction.ts";
import { Pictures } from "../context/pictures.ts";
import { knownSecrets, type KnownSecretsDeps, type SealedOfTask } from "../scrubbing/known-secrets.ts";
import { RunSecrets } from "../scrubbing/run-secrets.ts";
import type { ToolDeps } from "../services/tool-services.ts";
import { McpTools } from "../mcp/index.ts";
import type { LinkDeps } from "../mcp/server-link.ts";
import { serverSecrets } from "../mcp/server-secrets.ts";
import { Gate } from "../turns/gate.ts";
import { InputQuestions } from "../turns/input-questions.ts";
import { Checkpoint } from "./checkpoint.ts";
import { LogWriter } from "./log-writer.ts";
import type { Progress } from "./progress.ts";

/** How long a tool waits for a sleeping project to wake. */
const WAKE_MS = 120_000;

export interface ExecutionDeps
  extends FinishDeps, ToolDeps, KnownSecretsDeps, ChooseModelDeps, Pick<TakeDeps, "archives"> {
  workspaces: Pick<ProjectWorkspaces, "runtime">;
  /** Encrypts the parts of turns that are returned to models. */
  secrets: Secrets;
  mcpClient: McpClient;
  mcpOAuth: McpOAuth;
  log: Log;
  config: TakeDeps["config"] &
    ToolDeps["config"] &
    LinkDeps["config"] & {
      DEFAULT_THINKING_EFFORT?: ThinkingEffort | undefined;
      STEP_MAX_SECONDS: number;
      STEP_MAX_APPENDS: number;
      TASK_MAX_ITERATIONS: number;
      APPROVAL_EXPIRE_HOURS: number;
    };
}

/** What one executor has claimed: a task, what its chat said before, and what the task has done so far. */
interface Claimed {
  task: ClaimedTask;
  /** Whether several people have written in the chat. */
  isShared: boolean;
  history: readonly PlacedMessage[];
  /** Secrets that people have stored and that no output may show. */
  sealed: SealedOfTask;
  progress: Progress;
  begun: Extract<Begun, { kind: "run" }>;
}

/** One executor at work on one step: what its turns and its end share. */
export interface Step extends Claimed {
  readonly deps: ExecutionDeps;
  /** Aborts with the reason when the task is stopped, or a newer executor has it. */
  readonly signal: AbortSignal;
  readonly writer: LogWriter;
  readonly runtime: ProjectRuntime;
  readonly checkpoint: Checkpoint;
  readonly secrets: RunSecrets;
  readonly pictures: Pictures;
  readonly gate: Gate;
  readonly questions: InputQuestions;
  /** Tools of MCP servers; undefined in a task without servers. */
  readonly mcp: McpTools | undefined;
  readonly title: AutoTitle;
  /** When the step hands over to the next one, in milliseconds since 1970. */
  readonly endsAt: number;
  compaction: Compaction | null;
  /** Summary of the chat's older messages, for later tasks. */
  chatSummary: ChatSummary | undefined;
}

export function openStep(deps: ExecutionDeps, claimed: Claimed): Step {
  const { task, history, progress, sealed } = claimed;
  const { taskId, generation } = progress;
  const { project, task: row } = task;
  const abort = new AbortController();
  const { signal } = abort;
  const writer = new LogWriter({
    append: (addition) => deps.taskLogs.append(taskId, generation, addition),
    textEvent: taskEvents.textDelta,
    onStop: (error) => abort.abort(error),
    sparingAfter: deps.config.STEP_MAX_APPENDS / 2,
  });
  const patience = { timeoutMs: WAKE_MS, signal };
  const runtime = awakeRuntime(deps, project.id, patience);
  const secrets = new RunSecrets({
    load: async () => [
      ...(await knownSecrets(deps, sealed)),
      ...(await serverSecrets(deps, task.mcpServers)),
    ],
    files: deps.workspaces.runtime(project.id),
    onUnreadable: (cause) => deps.log.warn("env files cannot be read", { task_id: taskId, cause }),
  });
  const mcp =
    task.mcpServers.length > 0 ? new McpTools(deps, task.mcpServers, { secrets, signal }) : undefined;
  const compaction = Compaction.nullable().catch(null).parse(row.compaction);
  return {
    ...claimed,
    deps,
    signal,
    writer,
    runtime,
    checkpoint: new Checkpoint(deps, {
      taskId,
      chatId: row.chatId,
      projectId: project.id,
      message: row.message,
      hasChangedFiles: progress.hasChangedFiles,
      runtime,
      awake: () => awake(deps, project.id, patience),
      signal,
    }),
    secrets,
    pictures: new Pictures(runtime),
    questions: new InputQuestions(deps, task, { writer, secrets, signal }),
    gate: new Gate(deps, task, { writer, secrets, foreign: mcp }),
    mcp,
    title: new AutoTitle(deps, task, { writer, secrets }),
    endsAt: Date.now() + deps.config.STEP_MAX_SECONDS * 1000,
    compaction,
    chatSummary: compaction ? chatSummary(history, compaction) : undefined,
  };
}
