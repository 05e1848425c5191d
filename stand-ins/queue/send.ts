import http from "node:http";
import https from "node:https";
import type { Message } from "./message.ts";
import { relativeTo } from "#stand-ins/shared/relative-to.ts";
import type { Answer } from "./store.ts";

/**
 * Delivers one message once. Never throws: a missing response counts as a response with status 0. The signal aborts
 * when the queue closes; requests under way then end with their connection.
 */
export type Send = (message: Message, signal: AbortSignal) => Promise<Answer>;

/** Most bytes of a response that callbacks and dead letters keep. */
const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Destinations below `publicUrl` are reached at `deliverTo`, with the public host in the request, so that the receiver
 * sees the same as behind its public address; the signature names the public address in any case.
 */
export function createSend(options: {
  publicUrl: string;
  deliverTo: string;
  sign: (url: string, body: Uint8Array) => string;
}): { send: Send; close: () => void } {
  const agents = { http: new http.Agent({ keepAlive: true }), https: new https.Agent({ keepAlive: true }) };
  const { publicUrl, deliverTo, sign } = options;

  const send: Send = async (message, signal) => {
    const { details, body } = message;
    const path = relativeTo(publicUrl, details.url);
    const target = new URL(path === undefined ? details.url : deliverTo + path);
    const request: Request = {
      target,
      method: details.method,
      headers: {
        ...details.headers,
        host: new URL(details.url).host,
        "content-length": String(body.byteLength),
        "user-agent": "Upstash-QStash",
        "upstash-message-id": message.id,
        "upstash-retried": String(message.retried),
        "upstash-caller-ip": "127.0.0.1",
        ...(details.scheduleId !== undefined && { "upstash-schedule-id": details.scheduleId }),
        "upstash-signature": sign(details.url, body),
      },
      body,
      agents,
      timeoutMs: details.timeoutMs,
    };
    try {
      return await exchange(request);
    } catch (error) {
      if (!(error instanceof StaleConnection) || signal.aborted) return noAnswer(error);
      return exchange(request).catch(noAnswer);
    }
  };
  return {
    send,
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

interface Request {
  target: URL;
  method: string;
  headers: Record<string, string>;
  body: Uint8Array;
  agents: { http: http.Agent; https: https.Agent };
  timeoutMs: number;
}

/** The other side had closed a kept-alive connection: the request may be repeated at once. */
class StaleConnection extends Error {}

function exchange({ target, method, headers, body, agents, timeoutMs }: Request): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { method, headers };
    const request =
      target.protocol === "https:"
        ? https.request(target.href, { ...options, agent: agents.https })
        : http.request(target.href, { ...options, agent: agents.http });
    const late = setTimeout(
      () => request.destroy(new Error(`No response within ${timeoutMs} ms`)),
      timeoutMs,
    );
    request.on("close", () => clearTimeout(late));
    request.on("error", (error: NodeJS.ErrnoException) => {
      const stale = request.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
      reject(stale ? new StaleConnection(error.message, { cause: error }) : error);
    });
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      let kept = 0;
      response.on("data", (chunk: Buffer) => {
        if (kept < MAX_ANSWER_BYTES) chunks.push(chunk.subarray(0, MAX_ANSWER_BYTES - kept));
        kept += chunk.byteLength;
      });
      response.on("error", reject);
      response.on("end", () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: headersOf(response),
          bodyBase64: Buffer.concat(chunks).toString("base64"),
        });
      });
    });
    request.end(body);
  });
}

function headersOf(response: http.IncomingMessage): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(response.headersDistinct).flatMap(([name, values]) => (values ? [[name, values]] : [])),
  );
}

function noAnswer(error: unknown): Answer {
  const reason = error instanceof Error ? error.message : String(error);
  return { status: 0, headers: {}, bodyBase64: Buffer.from(reason).toString("base64") };
}
