import { beforeEach, describe, expect, it } from "vitest";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { HANGS_MS } from "#test/support/hangs.ts";
import { bytesOf, textFrom } from "./bytes.ts";
import type { Open } from "./under-test.ts";
import { appears } from "./appears.ts";

/** A dev server as projects have them, with Node alone: tells what it was asked, and echoes what it is sent. */
const SERVER = `
const http = require("node:http");
const server = http.createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  response.setHeader("set-cookie", ["a=1", "b=2"]);
  response.statusCode = request.url.startsWith("/missing") ? 404 : 200;
  const { method, url, headers } = request;
  response.end(JSON.stringify({ method, url, host: headers.host, body: Buffer.concat(chunks).toString() }));
});
server.listen(Number(process.env.PORT), process.env.ADDRESS, () => console.log("listening on " + process.env.PORT));
`;

/** Ports below those that the system assigns (32,768 and more on Linux), which other tests' servers listen on. */
const portOfNobody = () => 20_000 + Math.floor(Math.random() * 12_000);

/** Programs that go on running. For runtimes that run them. */
export function processesContract(open: Open): void {
  describe("processes", () => {
    let runtime: ProjectRuntime;
    beforeEach(async () => {
      ({ runtime } = await open());
    });
    // The runtime may have had other projects before: names are not used twice.
    let name: string;
    beforeEach(() => {
      name = crypto.randomUUID();
    });
    /** Watch its log until it shows this. */
    const until = async (shown: string) => {
      let text = "";
      for await (const chunk of await runtime.watchLog(name, 100)) {
        text += textFrom(chunk);
        if (text.includes(shown)) return;
      }
    };
    const state = async () => (await runtime.processes()).find((each) => each.name === name);
    const ended = async () => {
      while ((await state())?.running) await runtime.stat("");
      return state();
    };
    const ask = (port: number, path: string, init: RequestInit = {}) =>
      runtime.fetchPort(port, new Request(`https://preview.example${path}`, init));

    const hasIpv6 = async () =>
      (await runtime.exec("grep -q ^0*1 /proc/net/if_inet6", { timeoutMs: HANGS_MS })).exitCode === 0;

    it("run until they are stopped, with their own directory and variables", async () => {
      await runtime.makeDirectory("src");
      const spec = { command: 'echo "$GREETING from ${PWD##*/}"; sleep 600', cwd: "src" };
      await runtime.startProcess(name, { ...spec, env: { GREETING: "hello" } });
      await until("hello from src\n");
      expect(await state()).toMatchObject({ running: true, exitCode: null });
      await runtime.stopProcess(name);
      await runtime.stopProcess(name);
      await runtime.stopProcess("never started");
      expect(await state()).toMatchObject({ running: false, exitCode: 143 });
      expect(await runtime.readLog(name, 10)).toEqual(["hello from src"]);
    });

    it("say how they ended, and keep their last lines of both streams", async () => {
      await runtime.startProcess(name, { command: "seq 1 3000; echo oops >&2; printf unfinished; exit 3" });
      expect(await ended()).toMatchObject({ running: false, exitCode: 3 });
      const lines = await runtime.readLog(name, 5000);
      expect(lines).toHaveLength(2000);
      expect(lines).toEqual(expect.arrayContaining(["3000", "oops", "unfinished"]));
      expect(await runtime.readLog(name, 0)).toEqual([]);
      expect(await runtime.readLog("nobody", 10)).toEqual([]);
    });

    it("take the place of the one of their name", async () => {
      await runtime.startProcess(name, { command: "echo one; sleep 600" });
      await until("one\n");
      await runtime.startProcess(name, { command: "echo two; sleep 600" });
      await until("two\n");
      expect(await runtime.readLog(name, 10)).toEqual(["one", "two"]);
      expect(await runtime.readLog(name, 10, { ofLastRun: true })).toEqual(["two"]);
      expect(await runtime.readLog("nobody", 10, { ofLastRun: true })).toEqual([]);
      expect((await runtime.processes()).filter((each) => each.name === name)).toHaveLength(1);
    });

    it("end with all they have started, however it hides", async () => {
      const beat = "while :; do date +%s%N > beat; sleep 0.02; done";
      await runtime.startProcess(name, {
        command: `trap '' TERM; (setsid nohup bash -c '${beat}' &) ; echo up; while :; do sleep 1; done`,
      });
      await appears(runtime, "beat");
      await runtime.stopProcesses();
      const last = await runtime.readFile("beat");
      await runtime.exec("sleep 0.2", { timeoutMs: HANGS_MS });
      expect(await runtime.readFile("beat")).toEqual(last);
      expect(await state()).toMatchObject({ running: false });
    });

    it("leave nothing behind after a command", async () => {
      const beat = "while :; do date +%s%N > beat; sleep 0.02; done";
      await runtime.exec(
        `(setsid nohup bash -c '${beat}' >/dev/null 2>&1 &); until [ -e beat ]; do :; done`,
        {
          timeoutMs: HANGS_MS,
        },
      );
      const last = await runtime.readFile("beat");
      await runtime.exec("sleep 0.2", { timeoutMs: HANGS_MS });
      expect(await runtime.readFile("beat")).toEqual(last);
    });

    it("end commands and shells with them", async () => {
      const shell = crypto.randomUUID();
      await runtime.openShell(shell, { command: "/bin/bash", columns: 80, rows: 24 });
      const command = runtime.exec(": > begun; sleep 600", { timeoutMs: HANGS_MS });
      await appears(runtime, "begun");
      await runtime.stopProcesses();
      expect((await command).exitCode).toBe(137);
      expect((await runtime.readShell(shell, 0)).ended).toBe(true);
      await runtime.stopProcesses();
    });

    it("listen on a port themselves, or by what they have started, or not at all", async () => {
      const port = portOfNobody();
      const other = crypto.randomUUID();
      await runtime.writeFile("server.cjs", bytesOf(SERVER));
      // A session of its own, an environment without any mark, and no parent that it began with.
      const command = `(exec setsid env -u WORKSPACE_COMMAND node server.cjs); echo over; sleep 600`;
      const env = { PORT: String(port), ADDRESS: "127.0.0.1" };
      expect(await runtime.listensOn(name, port)).toBe(false);
      await runtime.startProcess(name, { command, env });
      await until("listening");
      await runtime.startProcess(other, { command: "sleep 600" });
      expect(await runtime.listensOn(name, port)).toBe(true);
      expect(await runtime.listensOn(other, port)).toBe(false);
      expect(await runtime.listensOn(name, port + 1)).toBe(false);
      expect(await runtime.listensOn(crypto.randomUUID(), port)).toBe(false);
      await runtime.stopProcess(name);
      expect(await runtime.listensOn(name, port)).toBe(false);
    });

    it.for(["127.0.0.1", "::1"])("answer on their port, listening on %s", async (address, { skip }) => {
      skip(address === "::1" && !(await hasIpv6()), "the machine has no IPv6");
      const port = portOfNobody();
      await expect(ask(port, "/")).rejects.toMatchObject({ code: "unavailable" });
      await runtime.writeFile("server.cjs", bytesOf(SERVER));
      const env = { PORT: String(port), ADDRESS: address };
      await runtime.startProcess(name, { command: "exec node server.cjs", env });
      await until("listening");

      const answer = await ask(port, "/a%20b/?q=1&q=2");
      expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
      expect(await answer.json()).toMatchObject({
        method: "GET",
        url: "/a%20b/?q=1&q=2",
        host: `localhost:${port}`,
      });
      const sent = await ask(port, "/", {
        method: "POST",
        body: "x".repeat(100_000),
        headers: { "x-forwarded-host": "preview.example" },
      });
      expect(await sent.json()).toMatchObject({ body: "x".repeat(100_000), host: `localhost:${port}` });
      expect((await ask(port, "/missing")).status).toBe(404);
    });
  });
}
