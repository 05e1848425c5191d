import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { callerOfKey } from "./authenticate.ts";
import type { Caller } from "./caller.ts";
import { keyByHash, userOfSession } from "./queries.ts";

/**
 * The part of a caller's credentials that an open connection keeps: enough to check access again, too little to sign in.
 */
export const StoredCaller = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("user"), userId: z.string(), sessionId: z.string() }),
  z.object({ kind: z.literal("key"), keyHash: z.string() }),
]);
export type StoredCaller = z.output<typeof StoredCaller>;

/**
 * Reads the caller of an open connection again, with their current permissions. Throws `unauthenticated` once the session
 * has ended, the key is revoked or expired, or the account is inactive.
 */
export async function renewCaller(deps: { db: Db }, standing: StoredCaller): Promise<Caller> {
  if (standing.kind === "key") {
    const [key] = await keyByHash(deps.db, standing);
    return callerOfKey(key);
  }
  const [user] = await userOfSession(deps.db, standing);
  if (!user) throw new AppError("unauthenticated", "The session has ended: sign in again");
  return { ...standing, isSuperuser: user.isSuperuser };
}
