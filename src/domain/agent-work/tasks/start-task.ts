import { isForeignKeyViolation } from "#src/db/foreign-key-violation.ts";
import { uniqueViolation } from "#src/db/unique-violation.ts";
import { secretPrompt } from "#src/domain/models/model-keys/index.ts";
import { requireRole } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import type { ModelSettings } from "#src/models/settings.ts";
import type { Db } from "#src/platform/db/client.ts";
import { agentLimits, noRoom, type AgentLimitConfig } from "./agent-limits.ts";
import type { EditMode } from "./edit-mode.ts";
import { again, launchTask, type LaunchDeps } from "./launch-task.ts";
import type { NewTask, StartTask } from "./new-task.ts";
import { taskWithTurn } from "./queries/chat-order.ts";
import { findClaimedTask, insertTask, STARTING } from "./queries/start.ts";
import { originOfSource, storedSource, type TaskSource } from "./source.ts";
import { eventsUrl } from "./task.ts";

/** The default agent. The first migration creates it. */
const DEFAULT_AGENT_ID = "00000000-0000-0000-0000-000000000005";

export interface StartedTask {
  taskId: string;
  chatId: string;
  eventsUrl: string;
  /** Whether an earlier task of its chat is unfinished. */
  isBehind: boolean;
}

/** Default mode for dangerous tools. In a browser or on a platform a person can be asked; a program cannot answer. */
function editModeOf(source: TaskSource): EditMode {
  return source.kind === "api" ? "allow" : "ask";
}

/**
 * Starts a task for a message. Every message becomes a task here. Returns when the task is stored and either published or
 * queued behind another task of its chat, whose end publishes it. From then on the task reaches a terminal state, also
 * after a crash.
 *
 * Throws `unauthenticated` for a key that may not start tasks in the project, or no longer; `not_found` for a project, agent
 * or chat that the user cannot see, `forbidden` when the user's role in the project does not suffice, `invalid_input` for a model that may not get the agent's prompt, `insufficient_credits` when the
 * project's team has no credits for a model that costs credits, `rate_limited` when the person or the project has reached
 * its limit of agents, and `invalid_body` for an idempotency key that was used with a different request. A replay of a
 * stored request returns the stored answer, even if its project, agent or chat is missing by now.
 */
export async function startTask(deps: StartDeps, input: StartTask): Promise<StartedTask> {
  const task = newTask(input);
  const defaults = {
    agentId: DEFAULT_AGENT_ID,
    model: deps.config.DEFAULT_MODEL,
    platformModels: deps.modelSettings.platformModels,
    editMode: input.editModeOtherwise ?? editModeOf(input.source),
  };
  const outcome = await whileParentsExist(
    insertTask(deps.db, task, defaults, agentLimits(deps.config)).catch((error: unknown) => {
      if (input.taskId !== undefined && uniqueViolation(error) === "tasks_pkey") return "repeated" as const;
      throw error;
    }),
  );
  if (input.taskId !== undefined && (outcome === "repeated" || !outcome?.started)) {
    const repeated = await repeatTask(deps, input.taskId);
    if (repeated) return repeated;
  }
  if (outcome === "repeated") throw new AppError("not_found", "The task was deleted in the meantime");
  if (outcome?.mayAct === false)
    throw new AppError("unauthenticated", "The API key may not be used here any more");
  if (!outcome?.role) throw new AppError("not_found", "Project not found");
  requireRole(outcome.role, STARTING);
  if (!outcome.agent) throw new AppError("not_found", "Agent not found");
  if (!outcome.chatId) throw new AppError("not_found", "Chat not found");
  if (!outcome.attachments) throw new AppError("not_found", "Attachment not found");
  if (outcome.started) {
    if (outcome.before === null) await launchTask(deps, task, "stored");
    return answer({ id: task.id, chatId: outcome.chatId }, outcome.before !== null);
  }
  const replayed = await replayTask(deps, task);
  if (replayed) return replayed;
  if (outcome.refusedModel !== null) throw new AppError("invalid_input", secretPrompt(outcome.refusedModel));
  if (!outcome.funded) throw new AppError("insufficient_credits", "The team has no credits left");
  if (outcome.exceeded) throw noRoom(outcome.exceeded);
  throw new AppError("unavailable", "The first request with this Idempotency-Key has not finished");
}

export interface StartDeps extends LaunchDeps {
  db: Db;
  config: { DEFAULT_MODEL: string } & AgentLimitConfig;
  modelSettings: Pick<ModelSettings, "platformModels">;
}

function newTask({ taskId, source, messageMetadata = null, ...input }: StartTask): NewTask {
  const idempotency = "idempotency" in source ? source.idempotency : undefined;
  const webhookUrl = source.kind === "api" ? source.webhookUrl : undefined;
  return {
    ...input,
    id: taskId ?? newId(),
    newChatId: newId(),
    messageId: newId(),
    origin: originOfSource(source),
    source: storedSource(source),
    webhookUrl,
    idempotency: idempotency && {
      key: idempotency.key,
      requestHash: sha256Hex(idempotency.request ?? requestOf(input, webhookUrl)),
    },
    messageMetadata,
  };
}

/** What a repetition has to repeat. */
function requestOf(
  { projectId, message, agentId, chat }: Pick<StartTask, "projectId" | "message" | "agentId" | "chat">,
  webhookUrl: string | undefined,
): string {
  const chatId = chat.kind === "named" ? chat.id : null;
  return JSON.stringify([projectId, message, agentId ?? null, chatId, webhookUrl ?? null]);
}

async function whileParentsExist<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (cause) {
    if (!isForeignKeyViolation(cause)) throw cause;
    throw new AppError("not_found", "The chat, its project or the agent was deleted in the meantime", {
      cause,
    });
  }
}

/**
 * The answer of an earlier request with the same idempotency key, if there was one. For a caller that prepares something
 * before it starts a task. Throws `invalid_body` if the earlier request was different.
 */
export function repeatedTask(
  deps: LaunchDeps & { db: Db },
  input: StartTask,
): Promise<StartedTask | undefined> {
  return replayTask(deps, newTask(input));
}

/** Replays the response for a repeated key and request. Launches the task again if its launch was lost. */
async function replayTask(
  deps: LaunchDeps & { db: Db },
  { userId, apiKeyId = null, idempotency }: NewTask,
): Promise<StartedTask | undefined> {
  const claimed = idempotency && (await findClaimedTask(deps.db, { userId, apiKeyId }, idempotency.key));
  if (!claimed) return undefined;
  if (claimed.requestHash !== idempotency.requestHash) {
    throw new AppError("invalid_body", "This Idempotency-Key was used with a different request");
  }
  if (claimed.task.status === "queued" && claimed.hasTurn) await launchTask(deps, claimed.task, again());
  return answer(claimed.task, claimed.task.status === "queued" && !claimed.hasTurn);
}

/** Returns the answer of a task that is already stored, if it is. Launches it again if its launch was lost. */
async function repeatTask(deps: LaunchDeps & { db: Db }, taskId: string): Promise<StartedTask | undefined> {
  const [stored] = await taskWithTurn(deps.db, taskId);
  if (!stored) return undefined;
  const { task, hasTurn } = stored;
  if (task.status === "queued" && hasTurn) await launchTask(deps, task, again());
  return answer(task, task.status === "queued" && !hasTurn);
}

function answer(task: { id: string; chatId: string }, isBehind: boolean): StartedTask {
  return { taskId: task.id, chatId: task.chatId, eventsUrl: eventsUrl(task.id), isBehind };
}
