import { isForeignKeyViolation } from "#src/db/foreign-key-violation.ts";
import { roleGrants } from "#src/domain/access/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import type { ModelSettings } from "#src/models/settings.ts";
import type { Db } from "#src/platform/db/client.ts";
import { noRoom, type AgentLimits } from "./agent-limits.ts";
import type { EditMode } from "./edit-mode.ts";
import { again, launchTask, type LaunchDeps } from "./launch-task.ts";
import { findClaimedTask, insertTask, STARTING } from "./queries/start.ts";
import { eventsUrl } from "./task.ts";

/** The agent that works when none is named: part of the first migration. */
const DEFAULT_AGENT_ID = "00000000-0000-0000-0000-000000000005";

/** Chat of a task: a new one, one by its id, or the one somebody last used in the project (a new one where there is none). */
export type ChosenChat = { kind: "new" | "latest" } | { kind: "named"; id: string };

/** A task to be written; names are chosen before the write, so that a repeated launch finds the same ones. */
export interface NewTask extends Omit<StartTask, "idempotencyKey"> {
  id: string;
  /** Of the chat, should it be a new one. */
  newChatId: string;
  messageId: string;
  idempotency: { key: string; requestHash: string } | undefined;
}

export interface StartTask {
  userId: string;
  /** Superusers reach every project; nobody is one through a key. */
  isSuperuser: boolean;
  /** Bounds the projects to those of one team; null for all the user belongs to. */
  teamId: string | null;
  apiKeyId: string | null;
  scopes: readonly string[] | null;
  projectId: string;
  message: string;
  /** Agent that is asked for; else the chat's, else the key's, else the default one. */
  agentId: string | undefined;
  /** Model id that is asked for; else the chat's, else the agent's, else the platform's. */
  model: string | undefined;
  /** What dangerous tools need; else the chat's, else that of the origin. */
  editMode: EditMode | undefined;
  /** What holds instead of the origin's where neither request nor chat says anything. */
  editModeOtherwise?: EditMode | undefined;
  maxIterations: number | undefined;
  chat: ChosenChat;
  /** Uploads of the chat that belong to the message. */
  attachmentIds: readonly string[];
  /** What the stored message carries beside its text. */
  messageMetadata: Readonly<Record<string, unknown>> | null;
  webhookUrl: string | undefined;
  origin: Origin;
  idempotencyKey: string | undefined;
}

export interface StartedTask {
  taskId: string;
  chatId: string;
  eventsUrl: string;
}

/** Where a message came from. Later origins: the names of platforms, `schedule`. */
export type Origin = "api" | "browser" | "standalone";

/**
 * What dangerous tools need when nobody said: people are there to be asked in a browser, programs have nobody who could
 * answer (projects-chat.md section 14).
 */
const EDIT_MODE_OF_ORIGIN: Record<Origin, EditMode> = { api: "allow", browser: "ask", standalone: "ask" };

/**
 * The one way a message becomes a task. Returns only when the task is stored and either published or behind another one of its
 * chat, whose end publishes it; from then on it ends in a terminal state whatever happens.
 *
 * Throws `not_found` for a project, agent or chat that is not there for this user, `forbidden` where the user's role in the
 * project is too low, `insufficient_credits` when the project's team has none for a model that costs some, `rate_limited` when
 * the person or the project has as much under way as it may, and `invalid_body` for an idempotency key that came with another
 * request. What was stored once is answered again whatever is missing by now.
 */
export async function startTask(deps: StartDeps, input: StartTask): Promise<StartedTask> {
  const task = newTask(input);
  const defaults = {
    agentId: DEFAULT_AGENT_ID,
    model: deps.config.DEFAULT_MODEL,
    platformModels: deps.modelSettings.platformModels,
    editMode: input.editModeOtherwise ?? EDIT_MODE_OF_ORIGIN[input.origin],
  };
  const outcome = await whileParentsExist(insertTask(deps.db, task, defaults, deps.config));
  if (!outcome?.role) throw new AppError("not_found", "Project not found");
  if (!roleGrants(outcome.role, STARTING)) {
    throw new AppError("forbidden", `Role '${outcome.role}' does not have permission '${STARTING}'`);
  }
  if (!outcome.agent) throw new AppError("not_found", "Agent not found");
  if (!outcome.chatId) throw new AppError("not_found", "Chat not found");
  if (!outcome.attachments) throw new AppError("not_found", "Attachment not found");
  if (outcome.started) {
    if (outcome.before === null) await launchTask(deps, task.id, "stored");
    return answer({ id: task.id, chatId: outcome.chatId });
  }
  const replayed = await replayTask(deps, task);
  if (replayed) return replayed;
  if (!outcome.funded) throw new AppError("insufficient_credits", "The team has no credits left");
  if (outcome.exceeded) throw noRoom(outcome.exceeded);
  throw new AppError("unavailable", "The first request with this Idempotency-Key is not finished");
}

export interface StartDeps extends LaunchDeps {
  db: Db;
  config: { DEFAULT_MODEL: string } & AgentLimits;
  modelSettings: Pick<ModelSettings, "platformModels">;
}

function newTask({ idempotencyKey, ...input }: StartTask): NewTask {
  const idempotency = idempotencyKey && { key: idempotencyKey, requestHash: hashOf(input) };
  return {
    ...input,
    id: newId(),
    newChatId: newId(),
    messageId: newId(),
    idempotency: idempotency || undefined,
  };
}

async function whileParentsExist<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (cause) {
    if (!isForeignKeyViolation(cause)) throw cause;
    throw new AppError("not_found", "The chat, its project or the agent was deleted meanwhile", { cause });
  }
}

/** The same key and the same request again: the same answer. A task whose launch was lost is launched now. */
async function replayTask(
  deps: LaunchDeps & { db: Db },
  { apiKeyId, idempotency }: NewTask,
): Promise<StartedTask | undefined> {
  const claimed = apiKeyId && idempotency && (await findClaimedTask(deps.db, apiKeyId, idempotency.key));
  if (!claimed) return undefined;
  if (claimed.requestHash !== idempotency.requestHash) {
    throw new AppError("invalid_body", "This Idempotency-Key was used with another request");
  }
  if (claimed.task.status === "queued" && claimed.hasTurn) await launchTask(deps, claimed.task.id, again());
  return answer(claimed.task);
}

function answer(task: { id: string; chatId: string }): StartedTask {
  return { taskId: task.id, chatId: task.chatId, eventsUrl: eventsUrl(task.id) };
}

function hashOf(input: Omit<StartTask, "idempotencyKey">): string {
  const { projectId, message, agentId, chat, webhookUrl } = input;
  const chatId = chat.kind === "named" ? chat.id : null;
  return sha256Hex(JSON.stringify([projectId, message, agentId ?? null, chatId, webhookUrl ?? null]));
}
