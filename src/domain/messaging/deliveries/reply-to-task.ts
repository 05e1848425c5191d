import { announceMessage, type AnnounceDeps } from "./announce-message.ts";
import { findFiles } from "./artifact-files.ts";
import { linkedFiles } from "./linked-files.ts";
import { insertArtifacts, insertReply, type Reply } from "./queries/messages.ts";

const WORDS = {
  empty: "The work is done; the agent wrote no text.",
  failed: "The work failed: ",
};

/**
 * Sends the reply of a finished task to where its message came from, and then the project's files that the reply links to.
 * Replies of earlier tasks of the chat that a crash has kept from being stored go before it. Idempotent. Returns the reply;
 * undefined for a task that no platform asked for.
 */
export async function replyToTask(deps: AnnounceDeps, taskId: string): Promise<Reply | undefined> {
  let reply = await insertReply(deps.db, taskId, WORDS);
  if (reply && reply.before.length > 0) {
    // Each of them has none before it that is missing, when its turn comes.
    for (const before of reply.before) await replyToTask(deps, before);
    reply = await insertReply(deps.db, taskId, WORDS);
  }
  if (reply?.messageId) {
    const artifactIds = await storeLinked(deps, taskId, reply);
    await announceMessage(deps, { ...reply, id: reply.messageId, kind: "message", taskId, artifactIds });
  }
  return reply;
}

/** Stores the linked files behind the reply. A reply without links takes no further query. */
async function storeLinked(deps: AnnounceDeps, taskId: string, reply: Reply): Promise<string[]> {
  const linked = await linkedFiles(reply.content);
  if (linked.length === 0) return [];
  const { channelId: id, platform: channelType, chatId, chatType, threadId, userId, identityId } = reply;
  return insertArtifacts(deps.db, {
    channel: { id, channelType },
    place: { chatId, chatType, threadId: threadId ?? undefined },
    taskId,
    person: { userId, identityId },
    occasion: `task:${taskId}`,
    paths: await findFiles(deps, reply, linked),
  });
}
