import { and, eq, inArray, isNull, lt, sql } from "drizzle-orm";
import { chatAttachments, chats, projects } from "#src/db/schema/index.ts";
import { roomFor, whileThereIsRoom, type CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import type { Db } from "#src/platform/db/client.ts";

export type ChatAttachment = typeof chatAttachments.$inferSelect;

/**
 * Stores an attachment. One that is stored already stays as it is, and is returned. Throws the refusal of the ceiling on
 * attachments without a message.
 */
export async function insertAttachment(
  { db, config }: { db: Db; config: CeilingConfig<"unsent_attachments"> },
  attachment: typeof chatAttachments.$inferInsert & { id: string },
): Promise<ChatAttachment> {
  const { id, userId: owner } = attachment;
  const room = roomFor(db, config, [{ ceiling: "unsent_attachments", owner, except: sql`id = ${id}::uuid` }]);
  const insert = db
    .insert(chatAttachments)
    .values(attachment)
    .onConflictDoUpdate({ target: chatAttachments.id, set: { id: chatAttachments.id } })
    .returning();
  const [, , [stored]] = await whileThereIsRoom(db.batch([...room, insert]));
  if (!stored) throw new Error("The attachment was not stored");
  return stored;
}

export function attachmentsById(db: Db, chatId: string, ids: readonly string[]) {
  return db
    .select()
    .from(chatAttachments)
    .where(and(eq(chatAttachments.chatId, chatId), inArray(chatAttachments.id, [...ids])));
}

/** Deletes an upload that belongs to no message. `isLast` says that no other row refers to the same file. */
export async function deleteUnbound(db: Db, id: string): Promise<{ isLast: boolean } | undefined> {
  const [deleted] = await db
    .delete(chatAttachments)
    .where(and(eq(chatAttachments.id, id), isNull(chatAttachments.messageId)))
    .returning({ isLast });
  return deleted;
}

const isLast = sql<boolean>`NOT EXISTS (SELECT 1 FROM chat_attachments other
  WHERE other.chat_id = chat_attachments.chat_id AND other.file_path = chat_attachments.file_path
    AND other.id <> chat_attachments.id)`;

/**
 * Deletes uploads that belong to no message after a day, only of projects that are awake, because their files are
 * deleted too.
 */
export async function deleteForgotten(db: Db, limit: number) {
  const forgotten = db
    .select({ id: chatAttachments.id })
    .from(chatAttachments)
    .innerJoin(chats, eq(chats.id, chatAttachments.chatId))
    .innerJoin(projects, eq(projects.id, chats.projectId))
    .where(
      and(
        isNull(chatAttachments.messageId),
        lt(chatAttachments.createdAt, sql`now() - interval '24 hours'`),
        inArray(projects.status, ["stopped", "running"]),
      ),
    )
    .limit(limit);
  return db
    .delete(chatAttachments)
    .where(and(inArray(chatAttachments.id, forgotten), isNull(chatAttachments.messageId)))
    .returning({
      path: chatAttachments.filePath,
      projectId: sql<string>`(SELECT project_id FROM chats WHERE chats.id = chat_attachments.chat_id)`,
      isLast,
    });
}
