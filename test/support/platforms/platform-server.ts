import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import type { Duplex } from "node:stream";
import { serve } from "#local/serve.ts";

/** A call that a client made at a platform. */
export interface MadeCall {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** Milliseconds since the epoch. */
  at: number;
}

/** What a platform returns: at most one of the bodies. A `stream` writes by itself, and may stay open. */
export interface Answer {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  json?: unknown;
  text?: string;
  bytes?: Uint8Array;
  stream?: (response: ServerResponse) => void;
}

/**
 * How a call fails: `busy` is the platform's own 429; `garbage` is a page of HTML with status 200; `hang` is no answer at
 * all; `cut` loses the connection before anything is done, `lost` after it.
 */
export type Fault =
  | { kind: "busy"; retryAfterSeconds: number }
  | ({ kind: "answer" } & Answer)
  | { kind: "garbage" }
  | { kind: "hang" }
  | { kind: "cut" }
  | { kind: "lost" };

export interface PlatformServer {
  /** Without a path. */
  origin: string;
  /** All calls so far, in order. */
  calls: readonly MadeCall[];
  /** Makes the next calls fail, of those whose path contains `path` and whose body contains `body`. */
  failNext(fault: Fault, options?: { times?: number; path?: string; body?: string }): void;
  close(): Promise<void>;
}

/** Serves a platform's API on the loopback interface, and lets tests make it fail. */
export async function servePlatform(platform: {
  answer: (call: MadeCall) => Answer | Promise<Answer>;
  busy: (retryAfterSeconds: number) => Answer;
  onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}): Promise<PlatformServer> {
  const calls: MadeCall[] = [];
  const planned: { fault: Fault; times: number; path: string; body: string }[] = [];

  function nextFault(call: MadeCall): Fault | undefined {
    const plan = planned.find(
      (each) => each.times > 0 && call.path.includes(each.path) && call.body.includes(each.body),
    );
    if (plan !== undefined) plan.times -= 1;
    return plan?.fault;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = await read(request);
    calls.push(call);
    const fault = nextFault(call);
    switch (fault?.kind) {
      case undefined: {
        write(response, await platform.answer(call));
        return;
      }
      case "busy": {
        write(response, platform.busy(fault.retryAfterSeconds));
        return;
      }
      case "answer": {
        write(response, fault);
        return;
      }
      case "garbage": {
        const page = "<!doctype html><title>Not what you asked for</title>";
        write(response, { headers: { "content-type": "text/html" }, text: page });
        return;
      }
      case "hang": {
        return;
      }
      case "cut": {
        response.destroy();
        return;
      }
      case "lost": {
        await platform.answer(call);
        response.destroy();
        return;
      }
      default: {
        fault satisfies never;
      }
    }
  }

  const server = await serve(handle, { onUpgrade: platform.onUpgrade });
  return {
    origin: server.url,
    calls,
    failNext(fault, { times = 1, path = "", body = "" } = {}) {
      planned.push({ fault, times, path, body });
    },
    close: server.close,
  };
}

async function read(request: IncomingMessage): Promise<MadeCall> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://platform.test");
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  return {
    method: request.method ?? "GET",
    path: pathname,
    query: searchParams,
    headers,
    body: await buffer(request),
    at: Date.now(),
  };
}

function write(response: ServerResponse, answer: Answer): void {
  const { status = 200, headers = {}, json, text, bytes, stream } = answer;
  const type = json === undefined ? {} : { "content-type": "application/json" };
  response.writeHead(status, { ...type, ...headers });
  if (stream !== undefined) return stream(response);
  response.end(json === undefined ? (text ?? bytes) : JSON.stringify(json));
}
