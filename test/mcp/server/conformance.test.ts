import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, expect, it } from "vitest";
import { isOwnHost } from "#src/http/origin.ts";
import { serve } from "#src/mcp/server/serve.ts";
import { HANGS_MS } from "#test/support/hangs.ts";
import { fixtureServer } from "./support/fixture-server.ts";

const HOSTS = { PUBLIC_URL: "http://127.0.0.1", APP_BASE_URL: undefined };

async function answerTo({ method, headers, rawHeaders }: IncomingMessage, body: Buffer): Promise<Response> {
  const url = new URL(`http://${headers.host}/mcp`);
  if (!isOwnHost(url, HOSTS)) return new Response("A foreign host", { status: 403 });
  if (method !== "POST") return new Response(null, { status: 405 });
  const pairs = rawHeaders.flatMap((name, place) =>
    place % 2 ? [] : [[name, rawHeaders[place + 1] ?? ""] as const],
  );
  const request = new Request(url, {
    method,
    headers: new Headers(pairs.map(([name, value]) => [name, value])),
  });
  const message: unknown = JSON.parse(body.toString());
  return serve(request, message, { build: fixtureServer, onError: () => {} });
}

async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, headers, body } = await answerTo(request, await buffer(request));
  response.writeHead(status, Object.fromEntries(headers));
  for await (const bytes of body ?? []) response.write(bytes);
  response.end();
}

const folder = mkdtempSync(path.join(tmpdir(), "conformance-"));
const server = createServer((request, response) => {
  reply(request, response).catch(() => response.destroy());
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const address = server.address();
const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/mcp`;
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

/** The scenarios that a revision requires, by whether the server has passed them. Source: the suite's report. */
async function outcomes(revision: string): Promise<{ passed: string[]; failed: string[] }> {
  const suite = createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/dist/index.js");
  // By itself the suite gives each scenario half a minute, which a busy machine may need.
  const args = [suite, "server", "--url", url, "--requirements", revision, "--timeout", `${HANGS_MS}`];
  const report = await new Promise<string>((resolve) => {
    // It fails with any scenario, those that are not required included.
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 }, (_, stdout) =>
      resolve(stdout),
    );
  });
  const names = (pattern: RegExp) => Array.from(report.matchAll(pattern), ([, name = ""]) => name);
  const optional = new Set(names(/^ +[✓✗] (\S+) \(/gmu));
  const required = (mark: string) =>
    names(new RegExp(`^${mark} (\\S+): `, "gmu")).filter((name) => !optional.has(name));
  return { passed: required("✓"), failed: required("✗") };
}

it("passes every scenario that 2026-07-28 requires of a server", async () => {
  const { passed, failed } = await outcomes("2026-07-28");
  expect(failed).toEqual([]);
  expect(passed).toHaveLength(37);
});

/** What a server without sessions cannot do: ask the client in the middle of a call, or remember what it follows. */
const NEEDS_SESSIONS = [
  "tools-call-sampling",
  "tools-call-elicitation",
  "elicitation-sep1034-defaults",
  "elicitation-sep1330-enums",
  "resources-subscribe",
  "resources-unsubscribe",
];

it("passes every scenario of 2025-11-25 that needs no session", async () => {
  const { passed, failed } = await outcomes("2025-11-25");
  expect(failed).toEqual(NEEDS_SESSIONS);
  expect(passed).toHaveLength(24);
});
