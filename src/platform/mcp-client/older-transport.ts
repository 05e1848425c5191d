import type * as Protocol from "@modelcontextprotocol/client";
import { boundedFetch, type TooLarge } from "./bounded-fetch.ts";

type Options = ConstructorParameters<typeof Protocol.SSEClientTransport>[1];
type Message = Parameters<Protocol.SSEClientTransport["send"]>[0];

/** Statuses of a first POST after which a server may have the transport of 2024-11-05, as the specification says. */
const OLDER: ReadonlySet<unknown> = new Set([400, 404, 405]);

/** Whether a server that refused to be connected to over streamable HTTP may have the older transport. */
export function mayBeOlder(cause: unknown): boolean {
  return cause instanceof Error && OLDER.has(Reflect.get(cause, "status"));
}

/** A message was refused. The package's own error has the status in its words alone. */
class Refused extends Error {
  override name = "Refused";
  readonly status: number;

  constructor(status: number) {
    super(`The message was refused (HTTP ${status})`);
    this.status = status;
  }
}

/**
 * The official transport of 2024-11-05: one stream of events for all that the server says, and an address at the same origin, named by
 * its first event, that takes messages. A stream that ends is the end of the connection: by itself the transport would open another
 * one, to which the server answers nothing. Each response may have as many bytes as one of the newer transport.
 */
export function olderTransportTo(
  protocol: typeof Protocol,
  url: URL,
  {
    fetch: given,
    onTooLarge,
    ...options
  }: Omit<NonNullable<Options>, "fetch"> & { fetch: typeof fetch; onTooLarge: (error: TooLarge) => void },
) {
  const waiting = new Set<unknown>();
  const { send, reset } = boundedFetch(given, onTooLarge);
  const transport = new (class extends protocol.SSEClientTransport {
    override async send(message: Message): Promise<void> {
      if ("method" in message && "id" in message) waiting.add(message.id);
      return super.send(message);
    }

    /** Is told each message of the server. */
    heard(message: object): void {
      if (!("method" in message) && "id" in message && waiting.delete(message.id)) reset();
    }
  })(url, {
    ...options,
    fetch: async (address, init) => {
      const answer = await send(address, init);
      const isRefused = init?.method === "POST" && !answer.ok && answer.status !== 401;
      if (isRefused) throw new Refused(answer.status);
      return answer;
    },
  });
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has this one listener
  transport.onerror = (error) => {
    if (error instanceof protocol.SseError) void transport.close();
  };
  return transport;
}
