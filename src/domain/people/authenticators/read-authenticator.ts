import type { Db } from "#src/platform/db/client.ts";
import { authenticatorOf } from "./queries.ts";

/** A person's authenticator app, as the person sees it. */
export interface AuthenticatorState {
  /** When the app was confirmed; null without one that counts. */
  since: Date | null;
  recoveryCodesLeft: number;
}

export async function readAuthenticator({ db }: { db: Db }, userId: string): Promise<AuthenticatorState> {
  const app = await authenticatorOf(db, userId);
  return { since: app?.confirmedAt ?? null, recoveryCodesLeft: app?.recoveryHashes.length ?? 0 };
}
