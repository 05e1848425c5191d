import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { vi } from "vitest";
import { startHosting } from "#stand-ins/hosting/index.ts";

export const TOKEN = "standin_ada";
export const PUBLIC_URL = "http://service.test:8787";

interface Reply {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: string;
}

/** A call by plain HTTP. */
export interface Call {
  method?: string;
  headers?: Record<string, string>;
  json?: object;
  body?: string | Uint8Array<ArrayBuffer> | FormData;
  token?: string | null;
}

/** The stand-in over a new data folder. */
export interface TestHosting {
  url: string;
  dataDir: string;
  /** Calls an address of the stand-in, below its own. */
  call(at: string, call?: Call): Promise<Response>;
  json<T = Record<string, never>>(at: string, call?: Call): Promise<T>;
  /** What a browser gets at a site's host name. */
  visit(label: string, at?: string): Promise<Reply>;
  control(at: string, json?: object): Promise<Response>;
  /** Moves the clock, in seconds. */
  pass(seconds: number): void;
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** With the time, in milliseconds, that a deployment waits and is built. */
export async function startTestHosting(pace = { queued: 30, building: 60 }): Promise<TestHosting> {
  const dataDir = mkdtempSync(path.join(tmpdir(), "hosting-"));
  let passed = 0;
  const start = () =>
    startHosting({
      dataDir,
      publicUrl: PUBLIC_URL,
      log: () => {},
      clock: () => Date.now() + passed,
      pace,
    });
  let server = await start();
  const hosting: TestHosting = {
    url: server.url,
    dataDir,
    call(
      at,
      { method = "GET", headers = {}, json, body = json && JSON.stringify(json), token = TOKEN } = {},
    ) {
      return fetch(hosting.url + at, {
        method,
        redirect: "manual",
        headers: {
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(json !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body }),
      });
    },
    async json(at, call) {
      const response = await hosting.call(at, call);
      const body = await response.text();
      if (!response.ok) throw new Error(`${call?.method ?? "GET"} ${at}: ${response.status} ${body}`);
      return body === "" ? {} : JSON.parse(body);
    },
    visit: (label, at = "/") => visit(hosting.url, `${label}.localhost`, at),
    control: (at, json = {}) => hosting.call(`/_standin/${at}`, { method: "POST", json, token: null }),
    pass: (seconds) => {
      passed += seconds * 1000;
    },
    async restart() {
      await server.close();
      server = await start();
      hosting.url = server.url;
    },
    async close() {
      await server.close();
      rmSync(dataDir, { recursive: true });
    },
  };
  return hosting;
}

/** A request with the host name that the stand-in serves sites at, which needs no lookup. */
export function visit(url: string, host: string, at: string, method = "GET"): Promise<Reply> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    http
      .request({ hostname, port, path: at, method, headers: { host: `${host}:${port}` } }, (response) => {
        text(response).then(
          (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
          reject,
        );
      })
      .once("error", reject)
      .end();
  });
}

export function sha1(content: string): string {
  return createHash("sha1").update(content).digest("hex");
}

/** Asks until the answer is wanted. */
export function until<T>(ask: () => Promise<T>, isWanted: (answer: T) => boolean): Promise<T> {
  return vi.waitFor(async () => {
    const answer = await ask();
    if (!isWanted(answer)) throw new Error(`It stays ${JSON.stringify(answer)}`);
    return answer;
  });
}
