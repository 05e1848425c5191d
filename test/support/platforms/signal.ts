import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type Answer, type MadeCall, type PlatformServer, servePlatform } from "./platform-server.ts";
import { EventEmitter } from "node:events";
import {
  receivedMessage,
  type SignalPerson,
  type SignalWriting,
  typingNotification,
} from "./signal/envelopes.ts";
import { Listeners } from "./signal/listeners.ts";
import { Outgoing, type SignalMessage } from "./signal/outgoing.ts";

export type { SignalPerson, SignalWriting } from "./signal/envelopes.ts";
export type { SignalMessage } from "./signal/outgoing.ts";

/**
 * How messages are received: `json-rpc` by a WebSocket, `normal` and `native` by polling; `events` as server-sent events at the
 * same path, which some bridges do.
 */
export type SignalMode = "json-rpc" | "normal" | "native" | "events";

/** What the WebSocket library of the bridge writes to a request without an upgrade, and what the bridge adds. */
const NO_UPGRADE = `Bad Request\n${JSON.stringify({
  error:
    "websocket: the client is not using the websocket protocol: 'upgrade' token not found in 'Connection' header",
})}`;

/** A bridge that runs, with one account. */
export interface SignalBridge extends PlatformServer {
  /** Its address, as an owner enters it. */
  url: string;
  account: SignalPerson & { number: string };
  mode: SignalMode;
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
  /** Writes as a person; returns the message's time, which is its id. In `json-rpc` a message is lost when nobody listens. */
  write(from: SignalPerson, writing: SignalWriting): number;
  /** Begins to write as a person. */
  startTyping(from: SignalPerson): void;
  /** Gives the bridge a file, for `attachments` of a message. */
  attach(
    bytes: Uint8Array,
    file: { contentType: string; filename?: string },
  ): { id: string; contentType: string; filename: string | null; size: number };
  /** Sends a frame as it is. */
  push(frame: unknown): void;
  /** Ends all connections that get messages, as a restart does. */
  drop(): void;
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
  const queue: string[] = [];
  const signals = new EventEmitter();
  let clock = Date.now();

  async function poll({ query }: MadeCall): Promise<Answer> {
    const seconds = Number(query.get("timeout") ?? "1");
    const most = Number(query.get("max_messages") ?? "0");
    if (!Number.isInteger(seconds)) {
      return refused("Couldn't process request - timeout needs to be numeric!");
    }
    if (queue.length === 0) {
      const signal = AbortSignal.timeout(seconds * 1000);
      await once(signals, "message", { signal }).catch(() => undefined);
    }
    const taken = queue.splice(0, most === 0 ? queue.length : most);
    return { headers: { "content-type": "text/plain; charset=utf-8" }, text: `[${taken.join(",")}]` };
  }

  function receive(call: MadeCall): Answer | Promise<Answer> {
    if (bridge.mode === "json-rpc") return { status: 400, text: NO_UPGRADE };
    if (bridge.mode !== "events") return poll(call);
    return {
      headers: { "content-type": "text/event-stream" },
      stream(response) {
        listeners.stream(response);
        signals.emit("listening");
      },
    };
  }

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
        const mode = bridge.mode === "events" ? {} : { mode: bridge.mode };
        const capabilities = { "v2/send": ["quotes", "mentions"] };
        return { json: { versions: ["v1", "v2"], build: 2, ...mode, version: "0.99", capabilities } };
      }
      case "GET /v1/health":
        return { status: 204 };
      case "GET /v1/accounts":
        return { json: [number] };
      case "GET /v1/receive":
        return receive(call);
      case "GET /v1/attachments":
      case "DELETE /v1/attachments":
        return attachment(call, last);
      default:
        return outgoing.answer(call) ?? { status: 404, text: "404 page not found" };
    }
  }

  function onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { pathname } = new URL(request.url ?? "/", "http://bridge.test");
    if (bridge.mode === "json-rpc" && decodeURIComponent(pathname) === `/v1/receive/${number}`) {
      listeners.accept(request, socket, head);
      signals.emit("listening");
      return;
    }
    // The other modes take it for a poll, and the messages of its answer are lost to a client that wants a WebSocket.
    const body = pathname.startsWith("/v1/receive/")
      ? `[${queue.splice(0).join(",")}]`
      : "404 page not found";
    const status = pathname.startsWith("/v1/receive/") ? "200 OK" : "404 Not Found";
    const length = Buffer.byteLength(body);
    socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n${body}`);
  }

  function push(frame: unknown): void {
    const text = JSON.stringify(frame);
    if (bridge.mode === "json-rpc" || bridge.mode === "events") listeners.send(text);
    else queue.push(text);
    signals.emit("message");
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
    mode: "json-rpc",
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
    startTyping: (from) => push(typingNotification(from, { account: number, timestamp: nextTimestamp() })),
    attach(bytes, { contentType, filename = null }) {
      const id = `${randomBytes(10).toString("hex")}.bin`;
      attachments.set(id, Buffer.from(bytes));
      return { id, contentType, filename, size: bytes.byteLength };
    },
    push,
    drop: () => listeners.drop(),
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

function refused(error: string): Answer {
  return { status: 400, json: { error } };
}
