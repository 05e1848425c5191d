import type * as Protocol from "@modelcontextprotocol/client";

type Options = ConstructorParameters<typeof Protocol.StreamableHTTPClientTransport>[1];
type Send = Protocol.StreamableHTTPClientTransport["send"];

/** JSON-RPC has no code for it; clients number their own errors so. */
const CONNECTION_LOST = -32_000;

/**
 * The official transport, which answers a request whose stream ended without a response: by itself it would let the request wait
 * for its timeout. A stream that the server lets clients resume is resumed first. Servers of older revisions may have a stream beside
 * the requests: some ask their questions there.
 */
export function transportTo(protocol: typeof Protocol, url: URL, options: Options) {
  return new (class extends protocol.StreamableHTTPClientTransport {
    override async send(...[message, sending]: Parameters<Send>): Promise<void> {
      const requests = (Array.isArray(message) ? message : [message]).flatMap((each) =>
        "method" in each && "id" in each ? [each.id] : [],
      );
      const onRequestStreamEnd = () => {
        sending?.onRequestStreamEnd?.();
        for (const id of requests) {
          // A request that has its response is no longer known, and this is then ignored.
          this.onmessage?.({
            jsonrpc: "2.0",
            id,
            error: { code: CONNECTION_LOST, message: LOST },
          });
        }
      };
      return super.send(message, { ...sending, onRequestStreamEnd });
    }
  })(url, options);
}

export const LOST = "The stream ended without a response";
