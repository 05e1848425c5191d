import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, connect, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { call, script as turns } from "#test/support/task-client.ts";

let service: TestService;
let owner: Account;
let project: { id: string };
let key: string;
beforeAll(async () => {
  service = await startService({ SOCKET_CHECK_SECONDS: "1" });
  owner = await service.signUp("owner");
  project = await service.newProject(owner.token);
  ({ key } = await service.newKey(owner.token, project.id));
});
afterAll(() => service.close());

/** A message as a person types it who ends lines in a backslash. */
const script = (...said: readonly object[]) => turns(...said).replaceAll("\n", "\\\n");

/** `npm run cli` as a process. */
function startClient(variables: Readonly<Record<string, string>> = {}, options: readonly string[] = []) {
  const child = spawn(process.execPath, ["local/cli.ts", ...options], {
    env: { PATH: process.env["PATH"], WORKSPACE_URL: service.url, WORKSPACE_API_KEY: key, ...variables },
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    /** Its exit code. */
    ended: once(child, "close").then(([code]) => Number(code)),
    until: (text: string) =>
      vi.waitFor(() => expect(stdout + stderr).toContain(text), { timeout: 60_000, interval: 50 }),
  };
}

describe("npm run cli", () => {
  it("answers a question that comes through a pipe, and exits", async () => {
    const client = startClient();
    client.child.stdin.end(`${script({ text: "Good evening." })}\n`);
    expect(await client.ended).toBe(0);
    expect(client.stdout()).toBe("Good evening.\n");
  });

  it("waits for the answers to all lines", async () => {
    const client = startClient();
    const lines = ["one", "two", "three"].map((word) => script({ text: `This is ${word}.` }));
    client.child.stdin.write(`${lines[0]}\n`);
    await client.until("This is one.");
    client.child.stdin.end(`${lines[1]}\n/help\n`);
    expect(await client.ended).toBe(0);
    expect(client.stdout()).toContain("This is two.");
    expect(client.stdout()).toContain("/new");
  });

  it("numbers the choices of an approval, and takes the number of one", async () => {
    const client = startClient();
    const path = `${crypto.randomUUID()}.txt`;
    client.child.stdin.write(
      `${script({ tools: [call("write_file", { path, content: "x" })] }, { text: "It is there." })}\n`,
    );
    await client.until("1) Allow once");
    client.child.stdin.end("1\n");
    expect(await client.ended).toBe(0);
    expect(client.stdout()).toMatch(/It is there\.\n$/u);
  });

  it("exits with one line when its key is refused, and when it is revoked", async () => {
    const refused = startClient({ WORKSPACE_API_KEY: `tsk_${"0".repeat(32)}` });
    expect(await refused.ended).toBe(1);
    expect([refused.stdout(), refused.stderr()]).toEqual(["", "Invalid API key\n"]);
    const made = await service.newKey(owner.token, project.id);
    const client = startClient({ WORKSPACE_API_KEY: made.key });
    client.child.stdin.write(`${script({ text: "Here." })}\n`);
    await client.until("Here.");
    await service.call("DELETE", `/api/external-api-keys/${made.id}`, { token: owner.token });
    expect(await client.ended).toBe(1);
    expect(client.stderr()).toContain("Invalid API key\n");
    expect(client.stderr()).not.toContain(made.key);
  });

  it("says what it needs, and that a service cannot be reached", async () => {
    const keyless = startClient({ WORKSPACE_API_KEY: "" });
    expect(await keyless.ended).toBe(1);
    expect(keyless.stderr()).toContain("WORKSPACE_API_KEY: set it to an API key");
    const lost = startClient({}, ["--url", "http://127.0.0.1:9"]);
    expect(await lost.ended).toBe(1);
    expect(lost.stderr()).toMatch(/^http:\/\/127\.0\.0\.1:9 cannot be reached: .*\n$/u);
  });

  it("exits at once when it is interrupted", async () => {
    const client = startClient();
    client.child.stdin.write(`${script({ text: "Connected." })}\n`);
    await client.until("Connected.");
    client.child.kill("SIGINT");
    expect(await client.ended).toBe(0);
  });

  it("comes back after a drop, with what was said in between", async () => {
    const proxy = await startProxy(service.url);
    const client = startClient({ WORKSPACE_URL: proxy.url });
    client.child.stdin.write(`${script({ text: "First." })}\n`);
    await client.until("First.");
    proxy.cut();
    await client.until("Connection lost");
    const other = startClient();
    other.child.stdin.end(`${script({ text: "Meanwhile." })}\n`);
    expect(await other.ended).toBe(0);
    client.child.stdin.end(`${script({ text: "Last." })}\n`);
    proxy.mend();
    expect(await client.ended).toBe(0);
    expect(client.stdout()).toBe("First.\nMeanwhile.\nLast.\n");
    proxy.close();
  });
});

/** A network between the client and the service, which can be cut. */
async function startProxy(target: string) {
  const { port, hostname } = new URL(target);
  const open = new Set<Socket>();
  let isCut = false;
  const server: Server = createServer((client) => {
    if (isCut) return client.destroy();
    const upstream = connect(Number(port), hostname);
    for (const each of [client, upstream]) {
      open.add(each);
      each.on("error", () => each.destroy());
      each.on("close", () => open.delete(each));
    }
    client.pipe(upstream).pipe(client);
    return undefined;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("The proxy has no port");
  const cut = () => {
    isCut = true;
    for (const each of open) each.destroy();
  };
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut,
    mend: () => void (isCut = false),
    close() {
      cut();
      server.close();
    },
  };
}
