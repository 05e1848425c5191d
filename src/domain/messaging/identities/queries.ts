import { and, count, desc, eq, gt, isNotNull, sql } from "drizzle-orm";
import { lockNames } from "#src/db/locks.ts";
import { platformIdentities } from "#src/db/schema/index.ts";
import type { Platform } from "#src/channels/channel.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";

export type Identity = typeof platformIdentities.$inferSelect;

/** A person on a platform, verified or not. */
export async function identityOf(
  db: Db,
  platform: Platform,
  platformUserId: string,
): Promise<Identity | undefined> {
  const [row] = await db
    .select()
    .from(platformIdentities)
    .where(
      and(eq(platformIdentities.platform, platform), eq(platformIdentities.platformUserId, platformUserId)),
    );
  return row;
}

export interface NewCode {
  platform: Platform;
  platformUserId: string;
  platformUsername: string;
  channelConfigId: string;
  codeHash: string;
}

/**
 * Stores a pairing code for an unverified person, in place of an earlier one. False when the person got a code within
 * `pauseMinutes`, is verified, or when the channel has `maxPending` codes of others that still count.
 */
export async function putCode(
  db: Db,
  code: NewCode,
  limits: { ttlSeconds: number; pauseMinutes: number; maxPending: number },
): Promise<boolean> {
  const values = {
    ...code,
    pairingExpiresAt: sql`now() + make_interval(secs => ${limits.ttlSeconds})`,
    codeSentAt: sql`now()`,
  };
  const [, rows] = await db.batch([
    // Codes of one channel are counted one after the other.
    lockNames(db, [`pairing:${code.channelConfigId}`]),
    db
      .insert(platformIdentities)
      .select(
        sql`SELECT ${newId()}::uuid, NULL::uuid, ${code.platform}, ${code.platformUserId}, ${code.platformUsername}, false,
          ${code.codeHash}, ${values.pairingExpiresAt}, now(), ${code.channelConfigId}::uuid, NULL::timestamptz, NULL::uuid, NULL::text,
          NULL::text, now()
          WHERE (${pendingOf(db, code)}) < ${limits.maxPending}`,
      )
      .onConflictDoUpdate({
        target: [platformIdentities.platform, platformIdentities.platformUserId],
        set: values,
        setWhere: sql`NOT ${platformIdentities.isVerified} AND (${platformIdentities.codeSentAt} IS NULL
          OR ${platformIdentities.codeSentAt} < now() - make_interval(mins => ${limits.pauseMinutes}))`,
      })
      .returning({ id: platformIdentities.id }),
  ]);
  return rows.length > 0;
}

/** Forgets the code of an unverified person, and when it was sent. */
export async function deleteCode(db: Db, platform: Platform, platformUserId: string): Promise<void> {
  await db
    .update(platformIdentities)
    .set({ codeHash: null, pairingExpiresAt: null, codeSentAt: null })
    .where(
      and(
        eq(platformIdentities.platform, platform),
        eq(platformIdentities.platformUserId, platformUserId),
        eq(platformIdentities.isVerified, false),
      ),
    );
}

/** Codes of a channel that other people have and that still count. */
function pendingOf(db: Db, { channelConfigId, platformUserId }: NewCode) {
  return db
    .select({ pending: count() })
    .from(platformIdentities)
    .where(
      and(
        eq(platformIdentities.channelConfigId, channelConfigId),
        isNotNull(platformIdentities.codeHash),
        gt(platformIdentities.pairingExpiresAt, sql`now()`),
        sql`${platformIdentities.platformUserId} <> ${platformUserId}`,
      ),
    );
}

/** Gives the person with a live code to a user, once. No row for a code that is unknown, expired or used. */
export async function verifyCode(
  db: Db,
  { userId, platform, codeHash }: { userId: string; platform: Platform; codeHash: string },
): Promise<Identity | undefined> {
  const [row] = await db
    .update(platformIdentities)
    .set({ userId, isVerified: true, pairedAt: sql`now()`, codeHash: null, pairingExpiresAt: null })
    .where(
      and(
        eq(platformIdentities.codeHash, codeHash),
        eq(platformIdentities.platform, platform),
        eq(platformIdentities.isVerified, false),
        gt(platformIdentities.pairingExpiresAt, sql`now()`),
      ),
    )
    .returning();
  return row;
}

/** A user's verified identities, newest first. */
export function identitiesOf(db: Db, userId: string): Promise<Identity[]> {
  return db
    .select()
    .from(platformIdentities)
    .where(and(eq(platformIdentities.userId, userId), platformIdentities.isVerified))
    .orderBy(desc(platformIdentities.createdAt), desc(platformIdentities.id));
}

/** Deletes an identity of the user's, or one that waits for a code which a channel of the user's sent. */
export async function deleteIdentity(db: Db, userId: string, id: string): Promise<Identity | undefined> {
  const [row] = await db
    .delete(platformIdentities)
    .where(
      and(
        eq(platformIdentities.id, id),
        sql`(${platformIdentities.userId} = ${userId} OR (NOT ${platformIdentities.isVerified}
          AND EXISTS (SELECT 1 FROM channel_configs c WHERE c.id = ${platformIdentities.channelConfigId} AND c.user_id = ${userId})))`,
      ),
    )
    .returning();
  return row;
}
