/**
 * The part of the standard WebSocket that the client uses. Browsers, Node 22 and later, Workers, Deno, Bun and the
 * package `ws` have it.
 */
export interface Socket {
  /** 0 connecting, 1 open, 2 closing, 3 closed. */
  readonly readyState: number;
  readonly bufferedAmount: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(
    type: "open" | "message" | "close" | "error",
    listener: (event: { type?: string; data?: unknown; code?: number; reason?: string }) => void,
  ): void;
}

/** The query of a socket's address, without its credentials. What is undefined is left out. */
export type SocketQuery = Readonly<Record<string, string | number | boolean | undefined>>;

/** How live parts reach the service. */
export interface SocketSource {
  /**
   * Opens a socket at a path of the service with the caller's credentials (as `token` of the address; by cookie where
   * the client uses cookies). `renew` asks for new credentials after a refusal. A rejection is tried again, like a lost
   * connection, unless it is a `WorkspaceError` that a repetition does not change, as of status 401.
   */
  open(path: string, query: SocketQuery, options?: { renew?: boolean }): Promise<Socket>;
}

/** A frame of the service: JSON with a `type`. */
export interface Frame {
  readonly type: string;
  readonly [field: string]: unknown;
}
