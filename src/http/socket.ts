import type { Context, Hono } from "hono";
import type { z } from "zod";
import {
  authenticateKey,
  authenticateUser,
  type Caller,
  type StoredCaller,
} from "#src/domain/access/permissions/index.ts";
import { closingAfter, sentenceOf } from "#src/lib/close-codes.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Services } from "#src/services.ts";
import type { AppEnv } from "./context.ts";
import { credentialsOf, readCredentials, type Credentials } from "./credentials.ts";
import { loggedPath } from "./logged-path.ts";
import { isOwnOrigin } from "./origin.ts";
import { storedCallerOf } from "./stored-caller.ts";

/** The caller who opens a socket, and what is stored to check the access again while it is open. */
export interface SocketCall {
  services: Services;
  caller: Caller;
  standing: StoredCaller;
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
}

/** What a socket is and says, for the API reference. */
interface SocketContract {
  /** Hono path, e.g. `/ws/:chat`. */
  readonly path: string;
  /** Other paths of the same socket. */
  readonly aliases?: readonly string[];
  /** Title in the API reference, two to six words. */
  readonly summary: string;
  readonly description: string;
  /** The JSON of the text frames in both directions. */
  readonly frames: { readonly client: z.ZodType; readonly server: z.ZodType };
}

interface SocketDefinition extends SocketContract {
  /**
   * Checks the caller's permission, and responds with status 101. A thrown error is sent over the socket, which is then
   * closed.
   */
  open: (call: SocketCall) => Promise<Response>;
}

/** One WebSocket address. It is not in the table of endpoints, because OpenAPI has no operations for sockets. */
export interface Socket extends SocketContract {
  mount(app: Hono<AppEnv>): void;
}

/**
 * A socket for a person with a token (`?token=`, or a header where a client can set one) or, on the service's own
 * pages, with the session cookie. A refusal is an error frame and a close code, because browsers do not expose a failed
 * handshake.
 */
export function socket({ open, ...contract }: SocketDefinition): Socket {
  const { path, aliases = [] } = contract;
  return {
    ...contract,
    mount(app) {
      app.on("GET", [path, ...aliases], async (c) => {
        requireUpgrade(c.req.raw);
        try {
          const admitted = await admit(c);
          const [params, query] = [c.req.param(), c.req.query()];
          return await open({ services: c.get("services"), params, query, ...admitted });
        } catch (error) {
          if (!(error instanceof AppError)) logFailure(c, error);
          return refusal(error);
        }
      });
    },
  };
}

/** Throws `invalid_input` for a request that is not a WebSocket handshake. */
export function requireUpgrade(request: Request): void {
  if (request.headers.get("upgrade")?.toLowerCase() === "websocket") return;
  throw new AppError("invalid_input", "This address accepts only WebSocket connections");
}

async function admit(c: Context<AppEnv>): Promise<{ caller: Caller; standing: StoredCaller }> {
  const services = c.get("services");
  const inQuery = c.req.query("token");
  const credentials = inQuery === undefined ? readCredentials(c.req.raw, c.env) : credentialsOf(inQuery);
  // Any page may open a socket, and the browser adds the cookie, so only trusted origins may use it.
  if (credentials.kind === "sessionCookie") requireOwnOrigin(c);
  return identify(services, credentials);
}

/** Authenticates the opener of a socket, and counts it as a request. Throws `unauthenticated` and `rate_limited`. */
export async function identify(
  services: Pick<Services, "db" | "accessTokens" | "rateLimits">,
  credentials: Credentials,
): Promise<{ caller: Caller; standing: StoredCaller }> {
  const identified = await authenticate(services, credentials);
  const { caller } = identified;
  const [rule, id] =
    caller.kind === "key" ? (["key", caller.keyId] as const) : (["user", caller.userId] as const);
  const decision = await services.rateLimits.take(rule, id);
  if (decision?.allowed === false) throw new AppError("rate_limited", "Rate limit exceeded");
  return identified;
}

async function authenticate(
  services: Pick<Services, "db" | "accessTokens">,
  credentials: Credentials,
): Promise<{ caller: Caller; standing: StoredCaller }> {
  if (credentials.kind === "key") {
    const caller = await authenticateKey(services, credentials.token);
    return { caller, standing: storedCallerOf(caller, credentials) };
  }
  const presented = credentials.kind === "accessToken" || credentials.kind === "sessionCookie";
  const caller = presented ? await authenticateUser(services, credentials.token) : undefined;
  if (!caller) throw new AppError("unauthenticated", "Not authenticated");
  return { caller, standing: storedCallerOf(caller, credentials) };
}

function requireOwnOrigin(c: Context<AppEnv>): void {
  if (isFromOwnPage(c)) return;
  throw new AppError("unauthenticated", "Pages of another origin must send a token");
}

function isFromOwnPage(c: Context<AppEnv>): boolean {
  const origin = c.req.header("origin");
  return origin !== undefined && isOwnOrigin(origin, c.req.url, c.env);
}

/** The session cookie that comes with a handshake, if it is of a page that may use it; undefined otherwise. */
export function cookieOfOwnPage(c: Context<AppEnv>): Credentials | undefined {
  const credentials = readCredentials(c.req.raw, c.env);
  return credentials.kind === "sessionCookie" && isFromOwnPage(c) ? credentials : undefined;
}

function logFailure(c: Context<AppEnv>, cause: unknown): void {
  c.get("services").log.error("socket failed", { path: loggedPath(c.req.path), cause });
}

/** Accepts the socket, sends the error and closes it. */
export function refusal(error: unknown): Response {
  const { 0: client, 1: server } = new WebSocketPair();
  server.accept();
  refuse(server, error);
  return new Response(null, { status: 101, webSocket: client });
}

/**
 * Sends an error, with both field names that clients read, and closes the socket; by default with the code of the
 * error.
 */
export function refuse(accepted: WebSocket, error: unknown, closing = closingAfter(error)): void {
  if (accepted.readyState !== WebSocket.OPEN) return;
  const message = sentenceOf(error);
  const code = error instanceof AppError ? error.code : undefined;
  const data = { message, ...(code && { code }) };
  accepted.send(JSON.stringify({ type: "error", message, content: message, data }));
  accepted.close(closing.code, closing.reason);
}
