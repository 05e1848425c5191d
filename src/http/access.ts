import type { Context, MiddlewareHandler, Next } from "hono";
import {
  arrivingUser,
  authenticateGrant,
  authenticateKey,
  authenticateUser,
  hashOfKey,
  holdsScope,
  requireKeyScope,
  seenKey,
  type ArrivingCaller,
  type Caller,
  type KeyCaller,
  type Scope,
  type UserCaller,
} from "#src/domain/access/permissions/index.ts";
import { openTask, type OpenedTask } from "#src/domain/agent-work/tasks/index.ts";
import { requireTeam, type Membership } from "#src/domain/organisations/teams/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { networkOf } from "#src/lib/ip-address.ts";
import { MCP_PATHS, mcpResource, resourceMetadataAt } from "#src/lib/mcp-address.ts";
import { rateHeaders } from "#src/lib/rate-headers.ts";
import { withoutSlash } from "#src/lib/without-slash.ts";
import type { RateRule } from "#src/domain/operations/limits/index.ts";
import { clientOf } from "./client.ts";
import type { AppEnv } from "./context.ts";
import { readCredentials, type Credentials } from "./credentials.ts";
import { refuseForeignOrigin, requireCsrfToken } from "./csrf.ts";

/** Who may call an endpoint. There is no default: omitting it is a type error. */
export type Access =
  /** No authentication. */
  | "public"
  /** No authentication; a person who is signed in is recognised. The calls of all others are counted by their address. */
  | "visitors"
  /**
   * A person with an access token or the session cookie. `notKeys` is the refusal of valid keys, if it should explain
   * more.
   */
  | { user: "any" | "superuser"; notKeys?: string }
  /** A member of the path's team `:team` whose role grants this permission. */
  | { member: Scope }
  /**
   * A `tsk_` key with this permission; `any` accepts a key with any permissions. `connectedApps` accepts access tokens of connected
   * apps too, and tells other clients where they get one.
   */
  | { key: Scope | "any"; connectedApps?: true }
  /**
   * A `tsk_` key with this permission. What the handler does checks `keyThatMay` in the statement that stores it, so a key that
   * signed in here a moment ago is not read before.
   */
  | { keyInStatement: Scope }
  /** A `tsk_` key with this permission, for the path's task `:task`; key and task are read in one round trip. */
  | { keyOfTask: Scope }
  /**
   * A person whose role in the project's team grants this permission, or a key with it. `rate` names the limit that
   * counts a person's calls, in place of the general one; a key's calls count against the key. `keyAlso` is a second permission
   * that a key needs.
   */
  | { userOrKey: Scope; keyAlso?: Scope; rate?: "chat" | "move" }
  /**
   * As `userOrKey`, for a handler that begins with `requireProjectAndRead`: a person's sign-in is read in that round trip.
   */
  | { userOrKeyInRead: Scope };

export type CallerOf<A> = A extends { user: string }
  ? UserCaller
  : A extends "visitors"
    ? UserCaller | undefined
    : A extends { member: Scope }
      ? UserCaller & { membership: Membership }
      : A extends { key: Scope | "any" } | { keyInStatement: Scope }
        ? KeyCaller
        : A extends { keyOfTask: Scope }
          ? KeyCaller & { task: OpenedTask }
          : A extends { userOrKey: Scope }
            ? Caller
            : A extends { userOrKeyInRead: Scope }
              ? Caller | ArrivingCaller
              : undefined;

/**
 * Admits or refuses the caller, counts the request against the caller's limit, and stores the caller on the context. Pages of
 * other origins are refused, except where a signature admits the request.
 */
export function guard(access: Access, { signed }: { signed?: boolean }): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    if (!signed) refuseForeignOrigin(c);
    if (access === "visitors") await recognise(c);
    else if (typeof access !== "string" && "keyInStatement" in access)
      return admitSeen(c, access.keyInStatement, next);
    else if (typeof access !== "string" && "userOrKeyInRead" in access)
      return admitArriving(c, access.userOrKeyInRead, next);
    else if (access !== "public") c.set("caller", await admit(c, access));
    return next();
  };
}

/**
 * Admits a key as it was a moment ago, since the handler's statement stores nothing for a key that may no longer act. An answer
 * that stored nothing waits until the key has been read. See docs/decisions/0045-the-first-step-at-once.md.
 */
async function admitSeen(c: Context<AppEnv>, scope: Scope, next: Next): Promise<void> {
  const token = keyOf(readCredentials(c.req.raw, c.env));
  const seen = seenKey(hashOfKey(token));
  if (!seen || !holdsScope(seen, scope)) {
    c.set("caller", await admitKey(c, token, scope));
    return next();
  }
  c.set("caller", seen);
  await limit(c, "key", seen.keyId);
  await next();
  if (!c.res.ok) requireKeyScope(await authenticateKey(c.get("services"), token), scope);
}

/** Admits a person whose sign-in the handler reads. No answer is given before that has been read, here if nowhere else. */
async function admitArriving(c: Context<AppEnv>, scope: Scope, next: Next): Promise<void> {
  const services = c.get("services");
  const credentials = readCredentials(c.req.raw, c.env);
  if (credentials.kind === "key") {
    c.set("caller", await admitKey(c, credentials.token, scope));
    return next();
  }
  const arriving = isOfPerson(credentials) ? await arrivingUser(services, credentials.token) : undefined;
  if (!arriving) throw new AppError("unauthenticated", "Not authenticated");
  try {
    const { presented } = arriving;
    if (credentials.kind === "sessionCookie") await requireCsrfToken(c, presented.sessionId);
    await limit(c, "user", presented.userId);
  } catch (error) {
    await arriving.ensureAdmitted(services.db);
    throw error;
  }
  c.set("caller", arriving);
  await next();
  await arriving.ensureAdmitted(services.db);
}

/** Sets the caller of a request with valid credentials of a person, and counts all others by their address. */
async function recognise(c: Context<AppEnv>): Promise<void> {
  const credentials = readCredentials(c.req.raw, c.env);
  const caller = isOfPerson(credentials)
    ? await authenticateUser(c.get("services"), credentials.token)
    : undefined;
  await (caller ? limit(c, "user", caller.userId) : limit(c, "address", networkOf(clientOf(c).address)));
  if (caller) c.set("caller", caller);
}

async function admit(
  c: Context<AppEnv>,
  access: Exclude<Access, "public" | "visitors" | { keyInStatement: Scope } | { userOrKeyInRead: Scope }>,
): Promise<Caller> {
  const services = c.get("services");
  const credentials = readCredentials(c.req.raw, c.env);
  if ("user" in access) {
    if (access.notKeys !== undefined && credentials.kind === "key") {
      await admitKey(c, credentials.token, "any");
      throw new AppError("forbidden", access.notKeys);
    }
    const caller = await admitPerson(c, credentials, "Unauthorized");
    if (access.user === "superuser" && !caller.isSuperuser) throw new AppError("forbidden", "Forbidden");
    return caller;
  }
  if ("member" in access) {
    const caller = await admitPerson(c, credentials, "Unauthorized");
    const membership = await requireTeam(services, caller, access.member, c.req.param("team") ?? "");
    return Object.assign(caller, { membership });
  }
  if ("keyOfTask" in access) {
    const { caller, findTask } = await openTask(services, keyOf(credentials), c.req.param("task") ?? "");
    await limit(c, "key", caller.keyId);
    requireKeyScope(caller, access.keyOfTask);
    return Object.assign(caller, { task: findTask(access.keyOfTask) });
  }
  if ("key" in access) {
    return access.connectedApps
      ? challenging(c, credentials, () => admitKeyOrApp(c, credentials, access.key))
      : admitKey(c, keyOf(credentials), access.key);
  }
  if (credentials.kind === "key") {
    const caller = await admitKey(c, credentials.token, access.userOrKey);
    if (access.keyAlso) requireKeyScope(caller, access.keyAlso);
    return caller;
  }
  return admitPerson(c, credentials, "Not authenticated", access.rate);
}

type OfPerson = Extract<Credentials, { token: string }> & { kind: "accessToken" | "sessionCookie" };

const isOfPerson = (credentials: Credentials): credentials is OfPerson =>
  credentials.kind === "accessToken" || credentials.kind === "sessionCookie";

/** The token where a key is required. A token of another kind is refused as an invalid key. */
function keyOf(credentials: Credentials): string {
  if (credentials.kind === "key" || credentials.kind === "accessToken") return credentials.token;
  throw new AppError("unauthenticated", "API key required");
}

async function admitKey(c: Context<AppEnv>, token: string, scope: Scope | "any"): Promise<KeyCaller> {
  const caller = await authenticateKey(c.get("services"), token);
  await limit(c, "key", caller.keyId);
  if (scope !== "any") requireKeyScope(caller, scope);
  return caller;
}

async function admitKeyOrApp(
  c: Context<AppEnv>,
  credentials: Credentials,
  scope: Scope | "any",
): Promise<KeyCaller> {
  if (credentials.kind !== "grant") return admitKey(c, keyOf(credentials), scope);
  const caller = await authenticateGrant(c.get("services"), credentials.token, mcpResource(c.env));
  await limit(c, "key", caller.keyId);
  if (scope !== "any") requireKeyScope(caller, scope);
  return caller;
}

/** Tells a client that is not admitted where it learns how to sign in. Source: RFC 9728, section 5.1; RFC 6750, section 3. */
async function challenging<T>(
  c: Context<AppEnv>,
  credentials: Credentials,
  admitting: () => Promise<T>,
): Promise<T> {
  try {
    return await admitting();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "unauthenticated") throw error;
    const path = MCP_PATHS.find((each) => each === withoutSlash(c.req.path)) ?? MCP_PATHS[0];
    const parts = [
      ...("token" in credentials ? [`error="invalid_token"`] : []),
      `resource_metadata="${resourceMetadataAt(c.req.url, path, c.env)}"`,
    ];
    throw new AppError("unauthenticated", error.message, {
      cause: error,
      headers: { "WWW-Authenticate": `Bearer ${parts.join(", ")}` },
    });
  }
}

async function admitPerson(
  c: Context<AppEnv>,
  credentials: Credentials,
  refusal: string,
  rate: RateRule = "user",
): Promise<UserCaller> {
  const caller = isOfPerson(credentials)
    ? await authenticateUser(c.get("services"), credentials.token)
    : undefined;
  if (!caller) throw new AppError("unauthenticated", refusal);
  if (credentials.kind === "sessionCookie") await requireCsrfToken(c, caller.sessionId);
  await limit(c, rate, caller.userId);
  return caller;
}

async function limit(c: Context<AppEnv>, rule: RateRule, id: string): Promise<void> {
  const decision = await c.get("services").rateLimits.take(rule, id);
  if (!decision) return;
  c.set("rateHeaders", rateHeaders(decision));
  if (!decision.allowed) {
    const { retryAfterSeconds } = decision;
    throw new AppError("rate_limited", "Rate limit exceeded", { retryAfterSeconds });
  }
}
