/** How long each phase may take, in milliseconds. */
export interface McpTimeouts {
  /** To find out the server's revision, with the handshake of an older one. */
  connect: number;
  /** To start a program, and to find out its revision. */
  start: number;
  /** For each page of tools. */
  list: number;
  /** For all of them. */
  listInAll: number;
  /** A call that reports no progress. */
  call: number;
  /** A call that does. */
  callInAll: number;
  /** To say what has become of a call that the server goes on with, or to take something for it. */
  ask: number;
}

export const TIMEOUTS: McpTimeouts = {
  connect: 10_000,
  start: 30_000,
  list: 15_000,
  listInAll: 30_000,
  call: 120_000,
  callInAll: 200_000,
  ask: 15_000,
};
