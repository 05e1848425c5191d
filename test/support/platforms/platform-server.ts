import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { RawData } from "ws";
import { serve } from "#local/serve.ts";

/** A call that a client made at a platform. */
export interface MadeCall {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/** What a platform returns: at most one of the bodies. */
export interface Answer {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  json?: unknown;
  text?: string;
  bytes?: Uint8Array;
}

/**
 * How a call fails: `busy` is the platform's own 429; `garbage` is a page of HTML with status 200; `hang` is no answer at
 * all; `lost` loses the connection after all is done.
 */
export type Fault =
  | { kind: "busy"; retryAfterSeconds: number }
  | ({ kind: "answer" } & Answer)
  | { kind: "garbage" | "hang" | "lost" };

/** A file of a message. */
export interface SentFile {
  filename: string;
  mimeType: string;
  bytes: Buffer;
}

/** A platform's API on the loopback interface, which fails where a test says so. */
export abstract class PlatformServer {
  /** All calls so far, in order. */
  readonly calls: MadeCall[] = [];
  /** Address without a path. */
  origin = "";
  readonly #faults: { fault: Fault; path: string }[] = [];
  #stop: (() => Promise<void>) | undefined;

  protected abstract answer(call: MadeCall): Answer | Promise<Answer>;
  /** What a client gets that calls too often. */
  protected abstract busy(retryAfterSeconds: number): Answer;

  protected onUpgrade(_request: IncomingMessage, socket: Duplex, _head: Buffer): void {
    socket.destroy();
  }

  async open(): Promise<this> {
    const { url, close } = await serve((request, response) => this.#handle(request, response), {
      onUpgrade: (request, socket, head) => this.onUpgrade(request, socket, head),
    });
    this.origin = url;
    this.#stop = close;
    return this;
  }

  async close(): Promise<void> {
    await this.#stop?.();
  }

  /** Makes the next call fail whose path contains `path`. */
  failNext(fault: Fault, { path = "" } = {}): void {
    this.#faults.push({ fault, path });
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://platform.test");
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const { method = "GET" } = request;
    const call = { method, path: pathname, query: searchParams, headers, body: await buffer(request) };
    this.calls.push(call);
    const at = this.#faults.findIndex(({ path }) => pathname.includes(path));
    const [planned] = at === -1 ? [] : this.#faults.splice(at, 1);
    const answer = planned ? await this.#failing(planned.fault, call) : await this.answer(call);
    if (answer === "cut") response.destroy();
    else if (answer !== "hang") write(response, answer);
  }

  async #failing(fault: Fault, call: MadeCall): Promise<Answer | "cut" | "hang"> {
    if (fault.kind === "answer") return fault;
    if (fault.kind === "busy") return this.busy(fault.retryAfterSeconds);
    if (fault.kind === "garbage") {
      return { headers: { "content-type": "text/html" }, text: "<title>Not what you asked for</title>" };
    }
    if (fault.kind === "lost") await this.answer(call);
    return fault.kind === "hang" ? "hang" : "cut";
  }
}

function write(response: ServerResponse, { status = 200, headers, json, text, bytes }: Answer): void {
  const type = json === undefined ? {} : { "content-type": "application/json" };
  response.writeHead(status, { ...type, ...headers });
  response.end(json === undefined ? (text ?? bytes) : JSON.stringify(json));
}

/** The text of a WebSocket's frame. */
export function textOf(data: RawData): string {
  return Buffer.isBuffer(data) ? data.toString() : "{}";
}

/** The fields of a multipart form. */
export function formOf({ headers, body }: MadeCall): Promise<FormData> {
  const type = headers["content-type"] ?? "";
  return new Response(Uint8Array.from(body), { headers: { "content-type": type } }).formData();
}
