import type http from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { serve } from "#local/serve.ts";
import { passOn } from "./pass-on.ts";

/**
 * What may happen to a request. `refuse`: a 500. `hang`: no answer at all. `lose`: it is served, and the connection breaks
 * before the answer. `cut`: the connection breaks within the answer. `late`: it is served after two seconds.
 */
export type Fault = "refuse" | "hang" | "lose" | "cut" | "late";

const LATE_MS = 2_000;
/** Events of a streamed answer that still come through: two pieces of text, after the one that opens the message. */
const CUT_AFTER_EVENTS = 3;

export type FaultProxy = Awaited<ReturnType<typeof startFaultProxy>>;

/** An HTTP proxy between the Worker and a server it depends on. */
export async function startFaultProxy() {
  let target = new URL("http://127.0.0.1:9");
  let plan: { fault: Fault; matching: RegExp; times: number } | undefined;
  let count = 0;
  const heard: string[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];

  function faultOf(request: http.IncomingMessage, body: Buffer): Fault | undefined {
    if (!plan || count >= plan.times) return undefined;
    if (!plan.matching.test(`${request.url}\n${body.toString()}`)) return undefined;
    count += 1;
    for (const each of waiting) if (count >= each.count) each.resolve();
    return plan.fault;
  }

  const { url, close } = await serve(async (request, response) => {
    const body = await buffer(request);
    heard.push(body.toString());
    const fault = faultOf(request, body);
    if (fault === "refuse") {
      response.writeHead(500, { "content-type": "application/json" }).end('{"message":"out of order"}');
      return;
    }
    if (fault === "hang") return;
    if (fault === "late") await pause(LATE_MS);
    await forward(target, request, body, response, fault);
  });

  return {
    /** Bodies of the requests so far. */
    heard,
    /** Stands before a server: the address to use instead of its own. */
    before(address: string): string {
      target = new URL(address);
      return url + target.pathname.replace(/^\/$/u, "");
    },
    /** From now on, until `heal`, to the requests whose path and body match; at most to so many of them. */
    fail(fault: Fault, matching = /(?:)/u, times = Infinity): void {
      count = 0;
      plan = { fault, matching, times };
    },
    heal(): void {
      plan = undefined;
    },
    /** Resolves when so many requests have suffered since `fail`. */
    suffered: (wanted: number) =>
      new Promise<void>((resolve) => {
        if (count >= wanted) resolve();
        else waiting.push({ count: wanted, resolve });
      }),
    close,
  };
}

/** The path goes on as it came: a queue's paths hold whole addresses. */
async function forward(
  target: URL,
  request: http.IncomingMessage,
  body: Buffer,
  response: http.ServerResponse,
  fault: Fault | undefined,
): Promise<void> {
  const left = new AbortController();
  response.on("close", () => left.abort());
  const answer = await passOn(target, request, body, left.signal);
  if (fault === "lose") {
    await buffer(answer);
    response.destroy();
    return;
  }
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  if (fault === "cut") {
    response.write(await beginningOf(answer));
    // Ended at the socket, a chunked response lacks its end.
    response.socket?.end();
    return;
  }
  for await (const part of answer) response.write(part);
  response.end();
}

/** The first events, however many of them come in one part: on a busy machine that may be all. */
async function beginningOf(answer: http.IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of answer) {
    text += String(part);
    const events = text.split("\n\n");
    if (events.length > CUT_AFTER_EVENTS) return `${events.slice(0, CUT_AFTER_EVENTS).join("\n\n")}\n\n`;
  }
  return text;
}
