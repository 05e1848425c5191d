import { sha256Hex } from "#src/lib/hash.ts";
import type { Db } from "#src/platform/db/client.ts";
import { revokeFamilyOfToken } from "./queries.ts";

/** End the session of a refresh token. One that is unknown, used or over already is fine. */
export async function endSession(deps: { db: Db }, token: string | undefined): Promise<void> {
  if (token) await revokeFamilyOfToken(deps.db, sha256Hex(token));
}
