import { randomBytes, randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type Answer, type MadeCall, type PlatformServer, servePlatform } from "./platform-server.ts";
import { receivedMessage, type SignalPerson, type SignalWriting } from "./signal/envelopes.ts";
import { Listeners } from "./signal/listeners.ts";
import { Outgoing, type SignalMessage } from "./signal/outgoing.ts";

export type { SignalPerson, SignalWriting } from "./signal/envelopes.ts";
export type { SignalMessage } from "./signal/outgoing.ts";

/** What the WebSocket library of the bridge writes to a request without an upgrade, and what the bridge adds. */
const NO_UPGRADE = `Bad Request\n${JSON.stringify({
  error:
    "websocket: the client is not using the websocket protocol: 'upgrade' token not found in 'Connection' header",
})}`;

/** A bridge that runs in the mode json-rpc, with one account. */
export interface SignalBridge extends PlatformServer {
  /** Its address, as an owner enters it. */
  url: string;
  account: SignalPerson & { number: string };
  /** Messages so far, each as the person sees it now: edits and deletions are in it. */
  readonly sent: readonly SignalMessage[];
  readonly typing: readonly string[];
  readonly reactions: readonly { recipient: string; emoji: string; author: string; timestamp: number }[];
  /** Files that the bridge keeps, by their ids. */
  readonly attachments: Map<string, Buffer>;
  /** Connections that get messages now. */
  readonly listening: number;
  /** As the bridge returned it until July 2026: an object, no list. */
  returnsObject: boolean;
  /** The bridge returns 201 to the next message and says that the person did not get it. */
  loseNext(reason: string): void;
  /** A new person; without a number for one who hides it. */
  newPerson(name: string, number?: string): SignalPerson;
  /** The id of a new group, and how a message is sent to it. */
  newGroup(): { groupId: string; recipient: string };
  /** Writes as a person; returns the message's time, which is its id. It is lost when nobody listens. */
  write(from: SignalPerson, writing: SignalWriting): number;
  /** Gives the bridge a file, for `attachments` of a message. */
  attach(
    bytes: Uint8Array,
    file: { contentType: string; filename?: string },
  ): { id: string; contentType: string; filename: string | null; size: number };
  /** Resolves when so many connections get messages. */
  listened(count?: number): Promise<void>;
}

/**
 * A bridge to Signal, as signal-cli-rest-api speaks it. Source: https://github.com/bbernhard/signal-cli-rest-api, src/api/api.go
 * and src/client, of August 2026.
 */
export async function startSignalBridge(number = "+4915100000000"): Promise<SignalBridge> {
  const listeners = new Listeners();
  const outgoing = new Outgoing(number);
  const attachments = new Map<string, Buffer>();
  const signals = new EventEmitter();
  let clock = Date.now();

  function attachment({ method }: MadeCall, id: string): Answer {
    const bytes = attachments.get(id);
    if (bytes === undefined) return { status: 404, json: { error: "No attachment with that name found" } };
    if (method === "DELETE") {
      attachments.delete(id);
      return { status: 204 };
    }
    return { headers: { "content-type": "application/octet-stream" }, bytes };
  }

  function answer(call: MadeCall): Answer | Promise<Answer> {
    const [, version = "", resource = "", last = ""] = call.path.split("/").map(decodeURIComponent);
    switch (`${call.method} /${version}/${resource}`) {
      case "GET /v1/about": {
        const capabilities = { "v2/send": ["quotes", "mentions"] };
        return {
          json: { versions: ["v1", "v2"], build: 2, mode: "json-rpc", version: "0.99", capabilities },
        };
      }
      case "GET /v1/health":
        return { status: 204 };
      case "GET /v1/accounts":
        return { json: [number] };
      case "GET /v1/receive":
        return { status: 400, text: NO_UPGRADE };
      case "GET /v1/attachments":
      case "DELETE /v1/attachments":
        return attachment(call, last);
      default:
        return outgoing.answer(call) ?? { status: 404, text: "404 page not found" };
    }
  }

  function onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { pathname } = new URL(request.url ?? "/", "http://bridge.test");
    if (decodeURIComponent(pathname) === `/v1/receive/${number}`) {
      listeners.accept(request, socket, head);
      signals.emit("listening");
      return;
    }
    socket.end("HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
  }

  function push(frame: unknown): void {
    listeners.send(JSON.stringify(frame));
  }

  function nextTimestamp(): number {
    clock = Math.max(clock + 1, Date.now());
    return clock;
  }

  const server = await servePlatform({
    answer,
    // Only a proxy before the bridge refuses for a time; the bridge itself returns 429 with tokens for a captcha.
    busy: (seconds) => ({
      status: 429,
      headers: { "retry-after": String(seconds) },
      text: "Too Many Requests",
    }),
    onUpgrade,
  });

  const bridge: SignalBridge = {
    ...server,
    url: server.origin,
    account: { uuid: randomUUID(), number, name: "Bot" },
    sent: outgoing.sent,
    typing: outgoing.typing,
    reactions: outgoing.reactions,
    attachments,
    get listening() {
      return listeners.count;
    },
    get returnsObject() {
      return outgoing.returnsObject;
    },
    set returnsObject(value) {
      outgoing.returnsObject = value;
    },
    loseNext(reason) {
      outgoing.nextReason = reason;
    },
    newPerson: (name, ofPerson) => ({ uuid: randomUUID(), number: ofPerson ?? null, name }),
    newGroup() {
      const groupId = randomBytes(32).toString("base64");
      return { groupId, recipient: `group.${Buffer.from(groupId).toString("base64")}` };
    },
    write(from, writing) {
      const timestamp = nextTimestamp();
      push(receivedMessage(from, writing, { account: number, timestamp }));
      return timestamp;
    },
    attach(bytes, { contentType, filename = null }) {
      const id = `${randomBytes(10).toString("hex")}.bin`;
      attachments.set(id, Buffer.from(bytes));
      return { id, contentType, filename, size: bytes.byteLength };
    },
    async listened(count = 1) {
      while (listeners.count < count) await once(signals, "listening");
    },
    async close() {
      listeners.close();
      await server.close();
    },
  };
  return bridge;
}
