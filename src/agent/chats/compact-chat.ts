import type { Caller } from "#src/domain/access/permissions/index.ts";
import {
  isBusy,
  newestTask,
  requireChatToManage,
  storeSummary,
  unsummarisedMessages,
} from "#src/domain/agent-work/chats/index.ts";
import { chooseFundedModel, type ChooseModelDeps } from "#src/domain/models/model-keys/index.ts";
import { PrepaidModel } from "#src/domain/models/prepaid-models/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import { insertCallOfTeam } from "#src/domain/metering/usage/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { ModelError } from "#src/models/model.ts";
import type { Db } from "#src/platform/db/client.ts";
import { COMPACTABLE_MESSAGES, KEPT_MESSAGES, summariseChat } from "./summarise-chat.ts";

export type Compacted =
  | { done: true; before: number; after: number; summary: string }
  | { done: false; reason: string };

/**
 * Replaces all but the last two messages of a chat by a summary, for the model; people still see all messages. The
 * model that answered last writes the summary, and its call is charged like any other. Throws as `requireChatToManage` does,
 * `conflict` while a task runs in the chat, as `chooseFundedModel` does, and `unavailable` when the model fails.
 */
export async function compactChat(
  deps: ChooseModelDeps & { db: Db },
  caller: Caller,
  chatId: string,
  signal: AbortSignal,
): Promise<Compacted> {
  const chat = await requireChatToManage(deps, caller, chatId, "chat.send");
  if (isBusy(chat)) throw running();
  const messages = await unsummarisedMessages(deps.db, chatId);
  const lastKept = messages.at(-KEPT_MESSAGES - 1);
  const task = await newestTask(deps.db, chatId);
  if (messages.length < COMPACTABLE_MESSAGES || !lastKept || !task) {
    const reason = `A chat of fewer than ${COMPACTABLE_MESSAGES} messages is not compacted`;
    return { done: false, reason };
  }
  const project = await requireProject(deps, caller, chat.projectId, "chat.send");
  const who = { userId: caller.userId, teamId: project.teamId };
  const chosen = await chooseFundedModel(deps, who, task.model);
  const model = new PrepaidModel(deps, chosen, { teamId: project.teamId });
  let summary: string;
  try {
    const said = await asAppError(() => summariseChat({ model, messages, previous: chat.summary, signal }));
    summary = said.text;
    const payer = { ...who, projectId: project.id, agentId: task.agentId };
    await insertCallOfTeam(deps.db, payer, model.toCall("compaction", said.usage));
  } finally {
    await model.end();
  }
  const account = { summary, through: lastKept.seq, previousThrough: chat.summarizedSeq };
  if (!(await storeSummary(deps.db, chatId, account))) throw running();
  return { done: true, before: messages.length, after: KEPT_MESSAGES + 1, summary };
}

async function asAppError<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (!(cause instanceof ModelError)) throw cause;
    if (cause.code === "insufficient_credits") throw new AppError(cause.code, cause.message, { cause });
    throw new AppError("unavailable", `The account could not be written: ${cause.message}`, { cause });
  }
}

function running(): AppError {
  return new AppError("conflict", "The agent is working in this chat: stop it, or wait until it ends");
}
