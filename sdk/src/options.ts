import type { RawBody } from "./http/body.ts";
import type { Socket } from "./live/connection.ts";

/** What the client passes to `fetch`. */
export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body?: RawBody;
  signal: AbortSignal;
  /** A redirect is an error: the service sends none, and credentials and bodies would go along. */
  redirect: "manual";
  credentials?: "include";
  /** Node asks for it where the body is a stream. */
  duplex?: "half";
}

/** `fetch`, as every runtime has it. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

/** The standard WebSocket's constructor. */
export type SocketClass = new (url: string) => Socket;

/** Gives an access token. `refused` is the token that the service no longer takes, `undefined` at the first call. */
export type AccessToken = (refused?: string) => string | Promise<string>;

/** How a client reaches the service, and as whom: by one of `apiKey`, `accessToken` and `cookies`, or as a visitor. */
export interface WorkspaceOptions {
  /** Where the service is, such as `https://workspace.example.com`. */
  baseUrl: string;
  /** A key, `tsk_…`. */
  apiKey?: string | undefined;
  /**
   * Gives the access token of a person. It is asked once and kept; after a 401 it is asked once more, for all calls that
   * wait.
   */
  accessToken?: AccessToken | undefined;
  /**
   * For pages of the service's own origin: the browser's session cookie, with the CSRF token that it needs. A `fetch` of the
   * page's own can renew a session that has expired; it is also asked before a refused socket is opened again.
   */
  cookies?: boolean | undefined;
  /** Instead of the runtime's own. */
  fetch?: Fetch | undefined;
  /** Instead of the runtime's own. Node before 22 has none: pass that of the package `ws`. */
  WebSocket?: SocketClass | undefined;
  /** Milliseconds for a call, all its attempts included; 60,000 when absent. A stream has no limit. */
  timeoutMs?: number | undefined;
  /** How often a failed call is repeated where that is safe; 3 when absent. */
  maxRetries?: number | undefined;
}
