import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { AccessTokens } from "#src/platform/tokens/access-tokens.ts";
import { memberCaller, type UserCaller } from "./caller.ts";
import { userOfSession } from "./queries.ts";

/**
 * A person with a genuine access token whose sign-in has not been read: it may have ended since the token was issued. The
 * handler's first round trip contains `signIn`, and `admit` decides by what it returned.
 */
export interface ArrivingCaller {
  kind: "arriving";
  userId: string;
  /** The person without the rights of an administrator, which only the sign-in's row grants. */
  presented: UserCaller;
  signIn(db: Db): ReturnType<typeof userOfSession>;
  /** Throws `unauthenticated` for an ended session and an inactive account. */
  admit(rows: Awaited<ReturnType<typeof userOfSession>>): UserCaller;
  /** Reads the sign-in unless that has been done. Throws as `admit` does. */
  ensureAdmitted(db: Db): Promise<void>;
}

/** The person of an access token, before the sign-in is read; `undefined` for an invalid token. */
export async function arrivingUser(
  { accessTokens }: { accessTokens: AccessTokens },
  token: string,
): Promise<ArrivingCaller | undefined> {
  const claims = await accessTokens.verify(token);
  return claims && arrivingCaller(claims);
}

/** As `arrivingUser`, by the claims of a token. */
export function arrivingCaller({
  userId,
  sessionId,
}: Pick<UserCaller, "userId" | "sessionId">): ArrivingCaller {
  let isAdmitted = false;
  const arriving: ArrivingCaller = {
    kind: "arriving",
    userId,
    presented: { ...memberCaller(userId), sessionId },
    signIn: (db) => userOfSession(db, { userId, sessionId }),
    admit: ([user]) => {
      if (!user) throw new AppError("unauthenticated", "Not authenticated");
      isAdmitted = true;
      return { ...arriving.presented, isSuperuser: user.isSuperuser };
    },
    ensureAdmitted: async (db) => {
      if (!isAdmitted) arriving.admit(await arriving.signIn(db));
    },
  };
  return arriving;
}
