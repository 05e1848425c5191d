import {
  authenticateKey,
  authenticateUser,
  type Caller,
  type UserCaller,
} from "#src/domain/access/permissions/index.ts";
import { readCredentials } from "#src/http/credentials.ts";
import type { Services } from "#src/services.ts";

type Deps = Pick<Services, "db" | "accessTokens" | "config">;

/**
 * The caller of a preview request that has `Authorization: Bearer` and a token of the service; `undefined` for any
 * other header, which is meant for the program. Throws `unauthenticated` for an invalid key.
 */
export async function callerOfHeader(deps: Deps, request: Request): Promise<Caller | undefined> {
  const credentials = readCredentials(request, deps.config);
  if (credentials.kind === "key") return authenticateKey(deps, credentials.token);
  if (credentials.kind === "accessToken") return authenticateUser(deps, credentials.token);
  return undefined;
}

/** The person who is signed in to the service with this browser. */
export async function personOfCookie(deps: Deps, request: Request): Promise<UserCaller | undefined> {
  const credentials = readCredentials(request, deps.config);
  return credentials.kind === "sessionCookie" ? authenticateUser(deps, credentials.token) : undefined;
}
