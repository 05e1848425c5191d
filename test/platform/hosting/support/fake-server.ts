import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import type { z } from "zod";
import { serve } from "#local/serve.ts";

export interface FakeRequest {
  method: string;
  /** Below the provider's base. */
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
  body: Buffer;
}
export interface FakeAnswer {
  status: number;
  json?: unknown;
}
/** Undefined where the provider has no such call. */
export type FakeProvider = (request: FakeRequest) => FakeAnswer | undefined | Promise<FakeAnswer | undefined>;

/** What a call does instead of answering. */
export type Fault =
  | { kind: "status"; status: number; retryAfter?: string; body?: string }
  /** An answer that is none, once the work is done; so with a connection that ends. */
  | { kind: "garbage" }
  | { kind: "slow" }
  | { kind: "reset" }
  | { kind: "redirect" }
  | { kind: "huge" };

export interface FakeServer {
  url: string;
  requests: FakeRequest[];
  /** For the requests, as `GET /path`, of which the predicate is true. */
  fail: (isIt: (request: FakeRequest) => boolean, fault: Fault) => void;
  heal: () => void;
  close: () => Promise<void>;
}

/** Serves providers below their prefixes, with the token that each expects. */
export async function startFakeServer(
  providers: Readonly<Record<string, FakeProvider>>,
  token: string,
): Promise<FakeServer> {
  const requests: FakeRequest[] = [];
  let plan: { isIt: (request: FakeRequest) => boolean; fault: Fault } | undefined;

  const { url, close } = await serve(async (incoming, response) => {
    const asked = new URL(incoming.url ?? "/", "http://provider");
    const [prefix, handle] =
      Object.entries(providers).find(([each]) => asked.pathname.startsWith(`${each}/`)) ?? [];
    const request: FakeRequest = {
      method: incoming.method ?? "",
      path: asked.pathname.slice(prefix?.length ?? 0),
      query: asked.searchParams,
      headers: incoming.headers,
      body: await buffer(incoming),
    };
    requests.push(request);
    const fault = plan?.isIt(request) ? plan.fault : undefined;
    if (fault && fault.kind !== "reset" && fault.kind !== "garbage") {
      fail(response, fault);
      return;
    }
    const isOpen = /^\/(_blobs|_logs|oauth|v1\/oauth|login\/oauth|workers-assets)/u.test(request.path);
    const { authorization } = request.headers;
    const isKnown = isOpen || authorization === `Bearer ${token}` || authorization === "Bearer session";
    const answer = isKnown ? await handle?.(request) : { status: 401, json: { message: "no such token" } };
    if (fault?.kind === "reset") response.destroy();
    else if (fault) response.writeHead(200).end("<html>");
    else
      send(
        response,
        answer ?? { status: 404, json: { message: `no call ${request.method} ${request.path}` } },
      );
  });

  return {
    url,
    requests,
    fail(isIt, fault) {
      plan = { isIt, fault };
    },
    heal() {
      plan = undefined;
    },
    close,
  };
}

function send(response: ServerResponse, { status, json: answer }: FakeAnswer): void {
  if (answer === undefined) response.writeHead(status).end();
  else response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
}

function fail(response: ServerResponse, fault: Exclude<Fault, { kind: "reset" | "garbage" }>): void {
  switch (fault.kind) {
    case "status":
      response.writeHead(
        fault.status,
        fault.retryAfter === undefined ? {} : { "retry-after": fault.retryAfter },
      );
      response.end(fault.body ?? '{"message":"because of the test"}');
      return;
    case "redirect":
      response.writeHead(307, { location: "/elsewhere" }).end();
      return;
    case "huge":
      response.writeHead(200).end(`{"a":"${"x".repeat(5 * 1024 * 1024)}"}`);
      return;
    case "slow":
  }
}

export function json<T>(request: FakeRequest, schema: z.ZodType<T>): T {
  return schema.parse(JSON.parse(request.body.toString("utf8")));
}
