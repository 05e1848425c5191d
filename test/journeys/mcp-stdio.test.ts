import { beforeAll, describe, expect, it } from "vitest";
import type { api } from "@agent-workspace/client";
import { NO_BUBBLEWRAP, SKIPPED } from "#test/hosts/support/runtime-host.ts";
import { newMcpOwner } from "#test/support/mcp-servers.ts";
import { otherSharedService, type SharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";

/** An MCP server of 2025-11-25 that forks, and says what it is given. */
const PROGRAM = String.raw`
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
appendFileSync("started", "x");
spawn("sleep", ["86333"], { detached: true, stdio: "ignore" });
console.log("a line that is no message");
const tools = [{ name: "greet", description: "Greets", inputSchema: { type: "object" } }];
const results = {
  initialize: () => ({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "own", version: "1" } }),
  "tools/list": () => ({ tools }),
  "tools/call": () => ({ content: [{ type: "text", text: process.env.GREETING + " from " + process.pid + process.argv[2] }] }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (id === undefined) continue;
  const result = results[method]?.();
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error: { code: -32601, message: "Unknown" } }) }));
}
`;

const STDIO = "/api/mcp/stdio-servers";
const OWN = { command: "node", args: ["program.mjs", "!"], env: { GREETING: "Hello there" } };

describe.skipIf(NO_BUBBLEWRAP)(`a stdio server of .mcp.json${SKIPPED}`, () => {
  let service: SharedService;
  beforeAll(async () => {
    service = await otherSharedService("host");
  });

  async function newWorld(mcpServers: object) {
    const account = await service.signUp("owner");
    const { token } = account;
    const project = await service.newProject(token);
    const write = (path: string, content: string) =>
      service.call("PUT", `/api/projects/${project.id}/files/${path}`, { token, json: { content } });
    const name = (servers: object) => write(".mcp.json", JSON.stringify({ mcpServers: servers }));
    await write("program.mjs", PROGRAM);
    await name(mcpServers);
    const agent = await newTaskClient(service, { account, projectId: project.id });
    return {
      own: newMcpOwner(service, token),
      write,
      name,
      list: async () =>
        (await service.call<api.StdioServers>("GET", `${STDIO}?project_id=${project.id}`, { token })).body,
      allow: (json: object, as = token) =>
        service.call<api.McpServer>("POST", STDIO, { token: as, json: { project_id: project.id, ...json } }),
      test: (id: string, as: string) => service.call("POST", `/api/mcp/servers/${id}/test`, { token: as }),
      async key(scopes: string[]) {
        const json = { name: "key", scopes };
        return (await service.call<{ key: string }>("POST", "/api/external-api-keys", { token, json })).body
          .key;
      },
      addContainer: (environment_vars: Record<string, string>) =>
        service.call("POST", `/api/projects/${project.id}/containers`, {
          token,
          json: { name: "web", directory: ".", environment_vars },
        }),
      remove: (id: string) => service.call("DELETE", `/api/mcp/servers/${id}`, { token }),
      /** The results of an agent's calls in one turn. */
      async results(...calls: ReturnType<typeof call>[]) {
        const { task_id } = await agent.start(script({ tools: calls }, { text: "Done." }));
        const events = await agent.end(task_id);
        return events.filter(({ type }) => type === "tool_result").map(({ body }) => body.result);
      },
    };
  }
  const greet = call("mcp__own__greet", {});

  it("runs in the project once somebody has allowed it, while a step needs it, and not otherwise", async () => {
    const world = await newWorld({ own: OWN, far: { url: "https://mcp.example.com" }, bad: { args: [] } });
    const before = await world.list();
    expect(before).toMatchObject({
      servers: [
        { name: "own", state: "not_allowed", command: "node", env: ["GREETING"], mcp_server_id: null },
      ],
      notes: [
        '"far" is left out: it is not a program. Add it as a server with its address',
        expect.stringMatching(/^"bad" is left out: it must have a "command"/u),
      ],
    });
    const started = call("bash_exec", { command: "cat started; echo .; pgrep -fc '[s]leep 86333'" });
    const [unknown, none] = await world.results(greet, started);
    expect(unknown).toMatchObject({ error: 'There is no tool named "mcp__own__greet".' });
    expect(JSON.stringify(none)).not.toContain("x.");

    const hash = before.servers[0]?.hash ?? "";
    expect(await world.allow({ name: "own", hash: "0".repeat(64) })).toMatchObject({ status: 409 });
    const { body: made } = await world.allow({ name: "own", hash });
    expect(made).toMatchObject({ name: "own", scope: "project", state: "connected", tool_count: 1 });
    const greeted = await world.results(greet, greet);
    expect(greeted).toMatchObject([
      { success: true, text: expect.stringMatching(/^Hello there from \d+!$/u) },
      { success: true },
    ]);
    // One program answered both calls, and ended with its child.
    expect(greeted[1]).toMatchObject({ text: Reflect.get(greeted[0] ?? {}, "text") });
    const after = async () => JSON.stringify(await world.results(started));
    await expect.poll(after).toMatch(/xx\.\\n0/u);

    await world.name({ own: { ...OWN, args: ["program.mjs", "?"] } });
    const changed = await world.list();
    expect(changed.servers).toMatchObject([{ state: "changed", mcp_server_id: made.id }]);
    expect(await world.results(greet)).toMatchObject([
      { success: false, error: expect.stringContaining("somebody has to allow it again") },
    ]);
    expect(await world.own.get(made.id)).toMatchObject({ state: "needs_authorization" });
    expect(await after()).toMatch(/xx\.\\n0/u);
    const again = await world.allow({ name: "own", hash: changed.servers[0]?.hash ?? "" });
    expect(again.body).toMatchObject({ id: made.id, state: "connected" });
    expect(await world.results(greet)).toMatchObject([{ text: expect.stringMatching(/\?$/u) }]);

    expect(await world.own.changing(made.id, { url: "https://mcp.example.com" })).toMatchObject({
      status: 400,
    });
    expect(await world.remove(made.id)).toMatchObject({ status: 204 });
    expect((await world.list()).servers).toMatchObject([{ state: "not_allowed" }]);
  });

  it("is given the project's variables, in its directory, and its results do not show what is secret", async () => {
    const own = {
      command: "node",
      args: ["${PROGRAM:-program.mjs}", " ${PUNCTUATION}"],
      env: { GREETING: "${TRACKER_TOKEN} ${OWN_TOKEN:-qqqq-2222-rrrr} ${HOME}" },
      cwd: "inner",
    };
    const world = await newWorld({ own });
    await world.write("inner/program.mjs", PROGRAM);
    const listed = await world.list();
    expect(listed).toMatchObject({
      servers: [
        {
          command_line: 'node ${PROGRAM:-program.mjs} " ${PUNCTUATION}"',
          cwd: "inner",
          uses: ["PROGRAM", "PUNCTUATION", "TRACKER_TOKEN", "OWN_TOKEN", "HOME"],
        },
      ],
      notes: [],
    });
    const allowed = await world.allow({ name: "own", hash: listed.servers[0]?.hash });
    expect(allowed.body).toMatchObject({
      state: "error",
      last_error: expect.stringContaining("${PUNCTUATION} has no value: give a container of the project"),
    });
    await world.addContainer({ TRACKER_TOKEN: "aaaa-1111-bbbb", PUNCTUATION: "?" });
    expect(await world.own.test(allowed.body.id)).toMatchObject({ success: true });
    const [result, file] = await world.results(greet, call("bash_exec", { command: "cat .mcp.json" }));
    const text = String(Reflect.get(result ?? {}, "text"));
    expect(text).toMatch(/^«secret:TRACKER_TOKEN» «secret:\w+» \S+ from \d+ \?$/u);
    expect(JSON.stringify(file)).not.toContain("qqqq-2222");
  });

  it("is started by no key that may not run programs", async () => {
    const world = await newWorld({ own: OWN });
    const hash = (await world.list()).servers[0]?.hash;
    const key = await world.key(["mcp.manage", "mcp.view"]);
    expect(await world.allow({ name: "own", hash }, key)).toMatchObject({ status: 403 });
    const { body } = await world.allow({ name: "own", hash });
    expect(await world.test(body.id, key)).toMatchObject({ status: 403 });
    const stronger = await world.key(["mcp.manage", "mcp.view", "terminal.access"]);
    expect(await world.test(body.id, stronger)).toMatchObject({ status: 200, body: { success: true } });
  });
});
