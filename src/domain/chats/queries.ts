import { eq } from "drizzle-orm";
import { chats } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

export type Chat = typeof chats.$inferSelect;

export async function chatById(db: Db, id: string): Promise<Chat | undefined> {
  const [chat] = await db.select().from(chats).where(eq(chats.id, id));
  return chat;
}
