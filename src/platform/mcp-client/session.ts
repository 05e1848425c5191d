import type * as Protocol from "@modelcontextprotocol/client";

/** An open session, or one that is being opened. */
export interface Session {
  client: Protocol.Client;
  transport: Protocol.Transport;
  /** Ends the session at the server, where the transport can say so. */
  terminate?: () => Promise<void>;
  /** Is told each message of the server. */
  heard?: (message: object) => void;
}

/** Ends a session, if the server keeps one. */
export async function end({ client, transport, terminate }: Session): Promise<void> {
  // A server without sessions answers 405, and one that is gone nothing.
  if (terminate) await Promise.race([terminate().catch(() => {}), pause(CLOSE_MS)]);
  await client.close().catch(() => {});
  // A client that is not connected yet has no transport to close.
  await transport.close().catch(() => {});
}

const CLOSE_MS = 1_000;

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
