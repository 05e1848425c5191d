import { eq } from "drizzle-orm";
import { users } from "#src/db/schema/index.ts";
import type { GitPerson } from "#src/git/protocol.ts";
import type { Db } from "#src/platform/db/client.ts";

/** A person's name and address for their commits. */
export async function personOf(db: Db, userId: string): Promise<GitPerson> {
  const [user] = await db
    .select({ name: users.name, username: users.username, email: users.email })
    .from(users)
    .where(eq(users.id, userId));
  return { name: user?.name || user?.username || "Unknown", email: user?.email ?? "" };
}
