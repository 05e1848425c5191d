import { newId } from "#src/lib/ids.ts";
import type { OutboxDeps } from "./deliver-message.ts";
import { findFiles, linkedFiles } from "./files.ts";
import { filesBehind, type OutboxMessage } from "./outbox-message.ts";
import { insertMessages } from "./queries/outbox.ts";
import { insertReply, type Reply } from "./queries/replies.ts";
import { sendAsStored } from "./send-stored.ts";

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
  const reply = await storeAndSend(deps, taskId);
  if (!reply || reply.before.length === 0) return reply;
  // Each of them has none before it that is missing, when its turn comes.
  for (const before of reply.before) await replyToTask(deps, before);
  return storeAndSend(deps, taskId);
}

/** Stores the reply and sends it, unless one before it is missing. One that is stored already is sent if it was not. */
async function storeAndSend(deps: OutboxDeps, taskId: string): Promise<Reply | undefined> {
  const id = newId();
  const stored = await sendAsStored(deps, id, {
    statement: insertReply(deps.db, { id, taskId, ...WORDS }),
    behind: async ({ rows: [reply] }) => {
      if (!reply?.messageId) return undefined;
      const message = messageOf(reply, taskId);
      const linked = await linkedFiles(reply.content);
      const behind = linked.length > 0 ? await storeLinked(deps, reply, { message, linked }) : [];
      return { message, ids: [reply.messageId, ...behind], wasAsked: linked.length > 0 };
    },
  });
  return stored?.rows[0];
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

/** Stores the linked files behind the reply. Returns their ids. */
async function storeLinked(
  deps: OutboxDeps,
  reply: Reply,
  { message, linked }: { message: OutboxMessage; linked: readonly string[] },
): Promise<string[]> {
  const files = filesBehind(message, await findFiles(deps, reply, linked));
  return (await insertMessages(deps.db, files)).map(({ id }) => id);
}
