import { buffer } from "node:stream/consumers";
import { WebSocket, WebSocketServer, type RawData } from "ws";
import { serve } from "#local/serve.ts";
import { passOn } from "#test/support/pass-on.ts";

/** Stands before a service, passes requests and sockets on, and can cut the sockets. */
export interface SocketRelay {
  readonly url: string;
  /** Every frame that clients have sent, as text. */
  readonly sent: readonly string[];
  /** Method and address of every request. */
  readonly asked: readonly string[];
  /** Sockets that were opened so far. */
  readonly count: number;
  /** Breaks all sockets. */
  cut(): void;
  /** Breaks all sockets, and refuses new ones: with this status, or without any answer. */
  refuse(status?: number): void;
  /** Takes sockets again. */
  accept(): void;
  close(): Promise<void>;
}

/** What a relay makes of the service's answers. */
interface Changes {
  /** Instead of the service's own. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Bodies, as JSON, of answers to requests for these paths. */
  readonly bodies?: Readonly<Record<string, unknown>>;
}

/** A relay before the service at `target`. */
export async function startSocketRelay(
  target: string,
  { headers, bodies }: Changes = {},
): Promise<SocketRelay> {
  const acceptor = new WebSocketServer({ noServer: true });
  const open = new Set<WebSocket>();
  const sent: string[] = [];
  const asked: string[] = [];
  let count = 0;
  let refusal: string | undefined;

  function join(client: WebSocket, path: string): void {
    count += 1;
    const service = new WebSocket(target.replace(/^http/u, "ws") + path);
    const early: string[] = [];
    for (const each of [client, service]) {
      open.add(each);
      each.on("error", () => {});
    }
    client.on("message", (data) => {
      const frame = textOf(data);
      sent.push(frame);
      if (service.readyState === WebSocket.OPEN) service.send(frame);
      else early.push(frame);
    });
    service.on("open", () => early.forEach((frame) => service.send(frame)));
    service.on("message", (data) => client.send(textOf(data)));
    service.on("close", (code, reason) => {
      if (code === 1005 || code === 1006) client.terminate();
      else client.close(code, reason);
    });
    client.on("close", () => service.close());
  }

  const cut = () => {
    for (const each of open) each.terminate();
    open.clear();
  };
  const { url, close } = await serve(
    async (request, response) => {
      asked.push(`${request.method} ${request.url}`);
      const body = bodies?.[request.url ?? ""];
      if (body !== undefined) {
        response.writeHead(200, { "content-type": "application/json", ...headers });
        response.end(JSON.stringify(body));
        return;
      }
      const answer = await passOn(new URL(target), request, await buffer(request));
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...headers });
      answer.pipe(response);
    },
    {
      onUpgrade: (request, socket, head) => {
        if (refusal !== undefined) socket.on("error", () => {}).end(refusal);
        else acceptor.handleUpgrade(request, socket, head, (client) => join(client, request.url ?? "/"));
      },
    },
  );
  return {
    url,
    sent,
    asked,
    get count() {
      return count;
    },
    cut,
    refuse(status) {
      refusal = status === undefined ? "" : `HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\n\r\n`;
      cut();
    },
    accept() {
      refusal = undefined;
    },
    async close() {
      cut();
      await close();
    },
  };
}

function textOf(data: RawData): string {
  return Buffer.from(Array.isArray(data) ? Buffer.concat(data) : new Uint8Array(data)).toString("utf8");
}
