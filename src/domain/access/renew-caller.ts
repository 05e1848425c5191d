import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { callerOfKey } from "./authenticate.ts";
import type { Caller } from "./caller.ts";
import { keyByHash, userOfSession } from "./queries.ts";

/** What is kept of a caller's credentials while a connection stays open: enough to ask again, nothing to sign in with. */
export const Standing = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("user"), userId: z.string(), sessionId: z.string() }),
  z.object({ kind: z.literal("key"), keyHash: z.string() }),
]);
export type Standing = z.output<typeof Standing>;

/**
 * The caller behind a connection that was admitted earlier, with what they may do now. Throws `unauthenticated` once the
 * session is over, the key revoked or expired, or the account not active.
 */
export async function renewCaller(deps: { db: Db }, standing: Standing): Promise<Caller> {
  if (standing.kind === "key") {
    const [key] = await keyByHash(deps.db, standing);
    return callerOfKey(key);
  }
  const [user] = await userOfSession(deps.db, standing);
  if (!user) throw new AppError("unauthenticated", "The session is over: sign in again");
  return { ...standing, isSuperuser: user.isSuperuser };
}
