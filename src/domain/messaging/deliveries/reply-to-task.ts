import type { OutboxDeps } from "./deliver-message.ts";
import { findFiles, linkedFiles } from "./files.ts";
import { filesBehind, type OutboxMessage } from "./outbox-message.ts";
import { insertMessages } from "./queries/outbox.ts";
import { insertReply, type Reply } from "./queries/replies.ts";
import { sendInOrder } from "./send-stored.ts";

const WORDS = {
  empty: "The work is done; the agent wrote no text.",
  failed: "The work failed: ",
};

/**
 * Sends the reply of a finished task to where its message came from, and then the project's files that the reply links to.
 * Replies of earlier tasks of the chat that a crash has kept from being stored go before it. Idempotent. Returns the reply;
 * undefined for a task that no platform asked for.
 */
export async function replyToTask(deps: OutboxDeps, taskId: string): Promise<Reply | undefined> {
  let reply = await insertReply(deps.db, taskId, WORDS);
  if (reply && reply.before.length > 0) {
    // Each of them has none before it that is missing, when its turn comes.
    for (const before of reply.before) await replyToTask(deps, before);
    reply = await insertReply(deps.db, taskId, WORDS);
  }
  if (reply?.messageId) {
    const message = messageOf(reply, taskId);
    const artifactIds = await storeLinked(deps, reply, message);
    await sendInOrder(deps, message, [reply.messageId, ...artifactIds]);
  }
  return reply;
}

/** The reply, as its row has it. */
function messageOf(reply: Reply, taskId: string): OutboxMessage {
  const { channelId: id, platform: channelType, sessionKey, content, userId, identityId } = reply;
  const { chatId, chatType, threadId, replyTo } = reply;
  return {
    channel: { id, channelType },
    sessionKey,
    place: { chatId, chatType, threadId: threadId ?? undefined },
    kind: "message",
    content,
    occasion: `task:${taskId}`,
    replyTo: replyTo ?? undefined,
    replyTarget: undefined,
    buttons: [],
    taskId,
    person: { userId, identityId },
  };
}

/** Stores the linked files behind the reply. A reply without links takes no further query. */
async function storeLinked(deps: OutboxDeps, reply: Reply, message: OutboxMessage): Promise<string[]> {
  const linked = await linkedFiles(reply.content);
  if (linked.length === 0) return [];
  const files = filesBehind(message, await findFiles(deps, reply, linked));
  return (await insertMessages(deps.db, files)).map(({ id }) => id);
}
