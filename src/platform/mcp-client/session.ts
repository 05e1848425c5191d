import type * as Protocol from "@modelcontextprotocol/client";
import { within } from "#src/lib/time-limit.ts";

/** An open session, or one that is being opened. */
export interface Session {
  client: Protocol.Client;
  transport: Protocol.Transport;
  /** Ends the session at the server, where the transport can say so. */
  terminate?: () => Promise<void>;
  /** Whether the server may go on with calls by itself. */
  takesTasks?: boolean;
  /** Is told each message of the server. */
  heard?: (message: object) => void;
}

/** How long a session may take to open. */
export interface Limits {
  signal: AbortSignal | undefined;
  /** When there must be a connection, in milliseconds since 1970. */
  endsAt: number;
}

/** Ends a session, if the server keeps one. */
export async function end({ client, transport, terminate }: Session): Promise<void> {
  // A server without sessions answers 405, and one that is gone nothing.
  if (terminate) await within(CLOSE_MS, terminate()).catch(() => {});
  await client.close().catch(() => {});
  // A client that is not connected yet has no transport to close.
  await transport.close().catch(() => {});
}

/** Bounds what the package waits for without a limit: the first event of a stream, and the answer to a notice. */
export async function bounded<T>(
  { SdkError, SdkErrorCode }: Pick<typeof Protocol, "SdkError" | "SdkErrorCode">,
  { timeout, signal }: { timeout: number; signal: AbortSignal | undefined },
  work: () => Promise<T>,
): Promise<T> {
  const ended = Promise.withResolvers<never>();
  const onAbort = () => ended.reject(signal?.reason);
  const late = () => ended.reject(new SdkError(SdkErrorCode.RequestTimeout, "It took too long"));
  const timer = setTimeout(late, timeout);
  signal?.addEventListener("abort", onAbort);
  try {
    return await Promise.race([work(), ended.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

const CLOSE_MS = 1_000;
