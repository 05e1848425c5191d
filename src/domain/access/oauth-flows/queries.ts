import { usedOauthStates } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/** Uses up a state, or the challenge of a passkey; false when it was already used. */
export async function consumeState(db: Db, state: { id: string; expiresAt: Date }): Promise<boolean> {
  const rows = await db
    .insert(usedOauthStates)
    .values({ id: state.id, expiresAt: state.expiresAt })
    .onConflictDoNothing()
    .returning({ id: usedOauthStates.id });
  return rows.length > 0;
}
