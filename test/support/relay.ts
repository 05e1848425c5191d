import { randomInt } from "node:crypto";
import type http from "node:http";
import { buffer } from "node:stream/consumers";
import { serve } from "#local/serve.ts";

/** An address of a server that can be made to fail. */
export interface Relay {
  /** Stands before a server: returns the address to use instead of its own. */
  before(url: string): string;
  /** Connections are refused from now on. */
  refuse(): Promise<void>;
  /** Answers begin, and never end, from now on. */
  stall(): Promise<void>;
  /** Requests reach the server again. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** Passes requests on to the server that `before` names. */
export async function startRelay(): Promise<Relay> {
  let target = "";
  let isStalled = false;
  const pass = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    if (isStalled) {
      response.writeHead(200, { "content-type": "application/json" }).write('{"id":"');
      return;
    }
    const body = request.method === "GET" ? null : await buffer(request);
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) {
      if (typeof value === "string" && !OF_CONNECTION.has(name)) headers.set(name, value);
    }
    const left = new AbortController();
    response.once("close", () => left.abort());
    const answer = await fetch(target + request.url, {
      method: request.method ?? "GET",
      headers,
      body,
      signal: left.signal,
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  };
  // Below the ports that systems give out by themselves: it is given back, and taken again.
  const preferredPort = randomInt(20_000, 32_768);
  let server: Awaited<ReturnType<typeof serve>> | undefined = await serve(pass, { preferredPort });
  const { url } = server;

  async function open(): Promise<void> {
    if (server) return;
    server = await serve(pass, { preferredPort: Number(new URL(url).port) });
    if (server.url !== url) throw new Error(`The port of ${url} is taken meanwhile`);
  }
  async function close(): Promise<void> {
    await server?.close();
    server = undefined;
  }
  return {
    before(address) {
      target = address;
      return url;
    },
    refuse: close,
    async stall() {
      isStalled = true;
      await open();
    },
    async restore() {
      isStalled = false;
      await open();
    },
    close,
  };
}

const OF_CONNECTION = new Set(["connection", "content-length", "host", "transfer-encoding", "keep-alive"]);
