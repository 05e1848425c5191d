import type { Context, MiddlewareHandler } from "hono";
import {
  authenticateKey,
  authenticateUser,
  requireKeyScope,
  type Caller,
  type KeyCaller,
  type Scope,
  type UserCaller,
} from "#src/domain/access/permissions/index.ts";
import { openTask, type OpenedTask } from "#src/domain/agent-work/tasks/index.ts";
import { requireTeam, type Membership } from "#src/domain/organisations/teams/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { networkOf } from "#src/lib/ip-address.ts";
import { rateHeaders } from "#src/lib/rate-headers.ts";
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
  /** A `tsk_` key with this permission; `any` accepts a key with any permissions. */
  | { key: Scope | "any" }
  /** A `tsk_` key with this permission, for the path's task `:task`; key and task are read in one round trip. */
  | { keyOfTask: Scope }
  /**
   * A person whose role in the project's team grants this permission, or a key with it. `rate` names the limit that
   * counts a person's calls, in place of the general one; a key's calls count against the key.
   */
  | { userOrKey: Scope; rate?: "chat" | "move" };

export type CallerOf<A> = A extends { user: string }
  ? UserCaller
  : A extends "visitors"
    ? UserCaller | undefined
    : A extends { member: Scope }
      ? UserCaller & { membership: Membership }
      : A extends { key: Scope | "any" }
        ? KeyCaller
        : A extends { keyOfTask: Scope }
          ? KeyCaller & { task: OpenedTask }
          : A extends { userOrKey: Scope }
            ? Caller
            : undefined;

/**
 * Admits or refuses the caller, counts the request against the caller's limit, and stores the caller on the context. Pages of
 * other origins are refused, except where a signature admits the request.
 */
export function guard(access: Access, { signed }: { signed?: boolean }): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    if (!signed) refuseForeignOrigin(c);
    if (access === "visitors") await recognise(c);
    else if (access !== "public") c.set("caller", await admit(c, access));
    await next();
  };
}

/** Sets the caller of a request with valid credentials of a person, and counts all others by their address. */
async function recognise(c: Context<AppEnv>): Promise<void> {
  const credentials = readCredentials(c.req.raw, c.env);
  const presented = credentials.kind === "accessToken" || credentials.kind === "sessionCookie";
  const caller = presented ? await authenticateUser(c.get("services"), credentials.token) : undefined;
  await (caller ? limit(c, "user", caller.userId) : limit(c, "address", networkOf(clientOf(c).address)));
  if (caller) c.set("caller", caller);
}

async function admit(c: Context<AppEnv>, access: Exclude<Access, "public" | "visitors">): Promise<Caller> {
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
  if ("key" in access) return admitKey(c, keyOf(credentials), access.key);
  if (credentials.kind === "key") return admitKey(c, credentials.token, access.userOrKey);
  return admitPerson(c, credentials, "Not authenticated", access.rate);
}

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

async function admitPerson(
  c: Context<AppEnv>,
  credentials: Credentials,
  refusal: string,
  rate: RateRule = "user",
): Promise<UserCaller> {
  const presented = credentials.kind === "accessToken" || credentials.kind === "sessionCookie";
  const caller = presented ? await authenticateUser(c.get("services"), credentials.token) : undefined;
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
