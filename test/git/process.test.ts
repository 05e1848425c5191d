import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import { startEgress } from "#hosts/egress/index.ts";
import { createGit } from "#src/git/index.ts";
import { createGitTransport } from "#src/platform/git-transport/index.ts";
import { startGitServer } from "#test/support/git-server.ts";
import { nodeFiles } from "#workspace-server/git/node-files.ts";

let root: string;
const server = await startGitServer();
server.create("plain", { "a.txt": "hello" });
afterAll(() => server.close());
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "git-process-"));
});
afterEach(() => rm(root, { recursive: true }));

/** Run the git process the way the workspace server does. */
function start(request: unknown) {
  const run = 'import("#workspace-server/git/main.ts").then(({ runGit }) => runGit())';
  const child = spawn(process.execPath, ["-e", run], { env: { PATH: process.env["PATH"] } });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stdin.end(typeof request === "string" ? request : JSON.stringify(request));
  const lines = async () => {
    await once(child, "close");
    return output
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
  };
  return { child, lines };
}

it("runs one operation as a process and reports in lines", async () => {
  const url = `${server.url}/plain`;
  const lines = await start({ root, name: "clone", input: { remote: { url } } }).lines();
  expect(lines.at(-1)).toMatchObject({ ok: true, value: { branch: "main" } });
  expect(lines[0]).toMatchObject({ progress: { loaded: expect.any(Number) } });
  expect(await readFile(join(root, "a.txt"), "utf8")).toBe("hello");
});

it.each([
  ["a failure", { name: "clone", input: { remote: { url: "http://127.0.0.1:1/x" } } }, "unavailable"],
  ["an unknown operation", { name: "__proto__", input: {} }, "invalid_input"],
])("reports %s as its last line", async (_, request, code) => {
  const lines = await start({ root, ...request }).lines();
  expect(lines).toEqual([{ ok: false, code, message: expect.any(String) }]);
});

it("reports a malformed request", async () => {
  expect(await start("garbage").lines()).toMatchObject([{ ok: false, code: "invalid_input" }]);
});

it("ends early on SIGTERM", async () => {
  server.setFault({ kind: "silence" });
  const seen = server.requests.length;
  const { child, lines } = start({ root, name: "clone", input: { remote: { url: `${server.url}/plain` } } });
  await expect.poll(() => server.requests.length).toBeGreaterThan(seen);
  child.kill("SIGTERM");
  expect((await lines()).at(-1)).toMatchObject({ ok: false, code: "unavailable" });
  server.setFault(undefined);
});

it("reaches git hosts from a Worker by the egress server, and no private address that is not allowed", async () => {
  const url = `${server.url}/plain`;
  const policy = { allowPrivate: false, allowedOrigins: [server.url] };
  const egress = await startEgress(policy);
  const files = await nodeFiles(root);
  const through = (maxBytes: number, allowed = policy) =>
    createGit({ files, transport: createGitTransport({ ...allowed, egressUrl: egress.url, maxBytes }) });
  const strangers = through(1_000_000, { allowPrivate: false, allowedOrigins: [] });
  await expect(strangers.run("probe", { remote: { url } })).rejects.toMatchObject({ code: "invalid_input" });
  await expect(through(20).run("probe", { remote: { url } })).rejects.toMatchObject({ code: "too_large" });

  const inside = "http://127.0.0.1:9/plain/info/refs?service=git-upload-pack";
  server.setFault({ kind: "status", status: 302, headers: { location: inside } });
  await expect(through(1_000_000).run("probe", { remote: { url } })).rejects.toMatchObject({
    code: "invalid_input",
  });
  server.setFault(undefined);

  await through(1_000_000).run("clone", { remote: { url } });
  expect((await readdir(root)).toSorted()).toEqual([".git", "a.txt"]);
  await egress.close();
});
