import { roleGrants } from "#src/domain/access/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { launchNewTask, launchTask, type LaunchDeps } from "./launch-task.ts";
import { findClaimedTask, insertTask, STARTING } from "./queries.ts";
import { eventsUrl } from "./task.ts";

/** The agent that works when none is named: part of the first migration. */
const DEFAULT_AGENT_ID = "00000000-0000-0000-0000-000000000005";

/** A task to be written; names are chosen before the write, so that a repeated launch finds the same ones. */
export interface NewTask {
  id: string;
  userId: string;
  isSuperuser: boolean;
  teamId: string | null;
  projectId: string;
  agentId: string;
  apiKeyId: string | null;
  scopes: readonly string[] | null;
  chatId: string;
  newChat: boolean;
  chatTitle: string;
  origin: string;
  message: string;
  webhookUrl: string | null;
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
  agentId: string | undefined;
  /** Chat to continue; a new one when absent. */
  chatId: string | undefined;
  webhookUrl: string | undefined;
  origin: "api";
  idempotencyKey: string | undefined;
}

export interface StartedTask {
  taskId: string;
  chatId: string;
  eventsUrl: string;
}

/**
 * The one way a message becomes a task, whoever sent it. Returns only when the task is stored and either published or in
 * its chat's queue; from then on it ends in a terminal state whatever happens.
 *
 * Throws `not_found` for a project, agent or chat that is not there for this user, `forbidden` where the user's role in the
 * project is too low, and `invalid_body` for an idempotency key that came with another request.
 */
export async function startTask(deps: LaunchDeps & { db: Db }, input: StartTask): Promise<StartedTask> {
  const task = newTask(input);
  const outcome = await insertTask(deps.db, task);
  if (!outcome?.role) throw new AppError("not_found", "Project not found");
  if (!roleGrants(outcome.role, STARTING)) {
    throw new AppError("forbidden", `Role '${outcome.role}' does not have permission '${STARTING}'`);
  }
  if (!outcome.agent) throw new AppError("not_found", "Agent not found");
  if (!outcome.chat) throw new AppError("not_found", "Chat not found");
  if (!outcome.started) return replayTask(deps, task);
  await launchNewTask(deps, task);
  return answer(task);
}

function newTask(input: StartTask): NewTask {
  const { idempotencyKey, chatId, agentId, webhookUrl, ...rest } = input;
  return {
    ...rest,
    id: newId(),
    agentId: agentId ?? DEFAULT_AGENT_ID,
    chatId: chatId ?? newId(),
    newChat: chatId === undefined,
    chatTitle: `API: ${input.message.slice(0, 60)}`,
    webhookUrl: webhookUrl ?? null,
    idempotency:
      idempotencyKey === undefined ? undefined : { key: idempotencyKey, requestHash: hashOf(input) },
  };
}

/** The same key and the same request again: the same answer. A task whose launch was lost is launched now. */
async function replayTask(
  deps: LaunchDeps & { db: Db },
  { apiKeyId, idempotency }: NewTask,
): Promise<StartedTask> {
  const claimed = apiKeyId && idempotency && (await findClaimedTask(deps.db, apiKeyId, idempotency.key));
  if (!claimed)
    throw new AppError("unavailable", "The first request with this Idempotency-Key is not finished");
  if (claimed.requestHash !== idempotency?.requestHash) {
    throw new AppError("invalid_body", "This Idempotency-Key was used with another request");
  }
  if (claimed.task.status === "queued") await launchTask(deps, claimed.task);
  return answer(claimed.task);
}

function answer(task: { id: string; chatId: string }): StartedTask {
  return { taskId: task.id, chatId: task.chatId, eventsUrl: eventsUrl(task.id) };
}

function hashOf({ projectId, message, agentId, chatId, webhookUrl }: StartTask): string {
  return sha256Hex(JSON.stringify([projectId, message, agentId ?? null, chatId ?? null, webhookUrl ?? null]));
}
