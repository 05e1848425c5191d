import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { authenticators } from "#src/db/schema/index.ts";
import { endLoginAttempts } from "#src/domain/people/two-factor/index.ts";
import type { Db } from "#src/platform/db/client.ts";

export type Authenticator = typeof authenticators.$inferSelect;

export async function authenticatorOf(db: Db, userId: string): Promise<Authenticator | undefined> {
  const [row] = await db.select().from(authenticators).where(eq(authenticators.userId, userId));
  return row;
}

/** Stores an app that is not confirmed yet, in place of an earlier one. False, and nothing, where one counts already. */
export async function storeUnconfirmed(
  db: Db,
  app: { id: string; userId: string; encryptedSecret: string },
): Promise<boolean> {
  const rows = await db
    .insert(authenticators)
    .values(app)
    .onConflictDoUpdate({
      target: authenticators.userId,
      set: { encryptedSecret: app.encryptedSecret, createdAt: sql`now()` },
      setWhere: isNull(authenticators.confirmedAt),
    })
    .returning({ id: authenticators.id });
  return rows.length > 0;
}

/**
 * Has an app count from now on, with the step of the code that confirmed it. Logins that wait for a mailed code end. False, and
 * nothing, for one that was replaced or confirmed in the meantime.
 */
export async function storeConfirmed(
  db: Db,
  { id, userId, encryptedSecret }: Authenticator,
  { step, recoveryHashes }: { step: number; recoveryHashes: string[] },
): Promise<boolean> {
  const [rows] = await db.batch([
    db
      .update(authenticators)
      .set({ confirmedAt: sql`now()`, lastStep: step, recoveryHashes })
      .where(
        and(
          eq(authenticators.id, id),
          eq(authenticators.encryptedSecret, encryptedSecret),
          isNull(authenticators.confirmedAt),
        ),
      )
      .returning({ id: authenticators.id }),
    endLoginAttempts(db, userId),
  ]);
  return rows.length > 0;
}

/** Puts new recovery codes in place of those that are left. False where no app counts. */
export async function replaceRecoveryHashes(
  db: Db,
  userId: string,
  recoveryHashes: string[],
): Promise<boolean> {
  const rows = await db
    .update(authenticators)
    .set({ recoveryHashes })
    .where(and(eq(authenticators.userId, userId), isNotNull(authenticators.confirmedAt)))
    .returning({ id: authenticators.id });
  return rows.length > 0;
}

/** Takes the app and its recovery codes away. Logins that wait for a code of it end. */
export async function deleteAuthenticator(db: Db, userId: string): Promise<void> {
  await db.batch([
    db.delete(authenticators).where(eq(authenticators.userId, userId)),
    endLoginAttempts(db, userId),
  ]);
}
