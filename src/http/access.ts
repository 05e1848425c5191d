import type { Context, MiddlewareHandler } from "hono";
import {
  authenticateKey,
  authenticateUser,
  requireKeyScope,
  type Caller,
  type KeyCaller,
  type Scope,
  type UserCaller,
} from "#src/domain/access/index.ts";
import { openTask, type OpenedTask } from "#src/domain/tasks/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { RateDecision, RateRule } from "#src/platform/objects/rate-limits.ts";
import type { AppEnv } from "./context.ts";

/** Who may call an endpoint. There is no default: leaving it out is a type error. */
export type Access =
  /** Anyone, said aloud. */
  | "public"
  /** A person with an access token. */
  | { user: "any" | "superuser" }
  /** A `tsk_` key with this permission. */
  | { key: Scope }
  /** A `tsk_` key with this permission, for the task `:task` of the path; key and task are read in one trip. */
  | { keyOfTask: Scope }
  /** A person, or a key with this permission. What a person may do is decided by the role in the project's team. */
  | { userOrKey: Scope };

export type CallerOf<A> = A extends { user: string }
  ? UserCaller
  : A extends { key: Scope }
    ? KeyCaller
    : A extends { keyOfTask: Scope }
      ? KeyCaller & { task: OpenedTask }
      : A extends { userOrKey: Scope }
        ? Caller
        : undefined;

/** Admit or refuse, count against the caller's limit, and leave the caller on the context. */
export function guard(access: Access): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    if (access !== "public") c.set("caller", await admit(c, access));
    await next();
  };
}

async function admit(c: Context<AppEnv>, access: Exclude<Access, "public">): Promise<Caller> {
  const services = c.get("services");
  const token = bearerToken(c);
  if ("user" in access) {
    const caller = token && !isKey(token) ? await authenticateUser(services, token) : undefined;
    if (!caller) throw new AppError("unauthenticated", "Unauthorized");
    await limit(c, "user", caller.userId);
    if (access.user === "superuser" && !caller.isSuperuser) throw new AppError("forbidden", "Forbidden");
    return caller;
  }
  if ("keyOfTask" in access) {
    if (!token) throw new AppError("unauthenticated", "API key required");
    const { caller, findTask } = await openTask(services, token, c.req.param("task") ?? "");
    await limit(c, "key", caller.keyId);
    requireKeyScope(caller, access.keyOfTask);
    return Object.assign(caller, { task: findTask() });
  }
  if ("key" in access) {
    if (!token) throw new AppError("unauthenticated", "API key required");
    const caller = await authenticateKey(services, token);
    await limit(c, "key", caller.keyId);
    requireKeyScope(caller, access.key);
    return caller;
  }
  if (!token) throw new AppError("unauthenticated", "Not authenticated");
  if (isKey(token)) {
    const caller = await authenticateKey(services, token);
    await limit(c, "key", caller.keyId);
    requireKeyScope(caller, access.userOrKey);
    return caller;
  }
  const caller = await authenticateUser(services, token);
  if (!caller) throw new AppError("unauthenticated", "Not authenticated");
  await limit(c, "user", caller.userId);
  return caller;
}

/** The token of `Authorization: Bearer …`; a bare `tsk_` key is taken too, as existing clients send it. */
function bearerToken(c: Context<AppEnv>): string | undefined {
  const header = c.req.header("authorization")?.trim();
  if (!header) return undefined;
  const bearer = /^Bearer\s+(\S+)$/iu.exec(header)?.[1];
  return bearer ?? (isKey(header) ? header : undefined);
}

function isKey(token: string): boolean {
  return token.startsWith("tsk_");
}

async function limit(c: Context<AppEnv>, rule: RateRule, id: string): Promise<void> {
  const decision = await c.get("services").rateLimits.take(rule, id);
  if (!decision) return;
  c.set("rateHeaders", rateHeaders(decision));
  if (!decision.allowed) {
    throw new AppError("rate_limited", "Rate limit exceeded", {
      headers: { "Retry-After": String(decision.retryAfterSeconds) },
    });
  }
}

/** `X-RateLimit-Reset` counts seconds from now, not from the epoch: existing clients read it so. */
function rateHeaders(decision: RateDecision): Record<string, string> {
  return {
    "X-RateLimit-Limit": String(decision.limit),
    "X-RateLimit-Remaining": String(decision.remaining),
    "X-RateLimit-Reset": String(decision.resetSeconds),
  };
}
