import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { api } from "@agent-workspace/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { NO_BUBBLEWRAP, SKIPPED } from "#test/hosts/support/runtime-host.ts";
import { startEverything } from "#test/support/everything-over-http.ts";
import { newMcpOwner, type McpServer } from "#test/support/mcp-servers.ts";
import { otherSharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script, type TaskClient } from "#test/support/task-client.ts";

/** Each tool of the reference server, with a part of what it answers. Those that ask the person are declined: a key's tasks have none. */
const ANSWERS: Record<string, [args: Record<string, unknown>, answer: RegExp]> = {
  echo: [{ message: "hi" }, /Echo: hi/u],
  "get-annotated-message": [
    { messageType: "success", includeImage: true },
    /successfully\n\[a picture, .*\.png\]/u,
  ],
  "get-env": [{}, /"PATH"/u],
  "get-resource-links": [{ count: 2 }, /\[link: demo:\/\/resource\/dynamic\/text\/2 /u],
  "get-resource-reference": [{ resourceType: "Text", resourceId: 1 }, /This is a plaintext resource/u],
  "get-structured-content": [{ location: "New York" }, /"conditions":/u],
  "get-sum": [{ a: 1, b: 2 }, /The sum of 1 and 2 is 3/u],
  "get-tiny-image": [{}, /\[a picture, .*\.png\]/u],
  "gzip-file-as-resource": [
    { name: "a.gz", data: "data:text/plain,hello", outputType: "resource" },
    /\.workspace\/mcp\/.*gzip/u,
  ],
  "toggle-simulated-logging": [{}, /Started simulated/u],
  "toggle-subscriber-updates": [{}, /Started simulated/u],
  "trigger-elicitation-request": [{}, /User declined/u],
  "trigger-long-running-operation": [{ duration: 0.2, steps: 2 }, /operation completed/u],
  "trigger-url-elicitation": [{ url: "https://example.com/", elicitationId: "one" }, /User declined/u],
};

/** Nothing is left out but what is a task of the protocol alone. */
const EXPECTED = {
  state: "connected",
  notes: ["simulate-research-query: it runs as a task of the protocol alone, which is not supported"],
  answers: Object.fromEntries(
    Object.entries(ANSWERS).map(([name, [, answer]]) => [name, expect.stringMatching(answer)]),
  ),
};

/** How the server is, and what an agent gets from each tool that it has. */
async function allOf(person: TaskClient, own: ReturnType<typeof newMcpOwner>, server: McpServer) {
  const names = (await own.tools(server.id)).map(({ name }) => name);
  const calls = names.map((name) => call(`mcp__everything__${name}`, ANSWERS[name]?.[0] ?? {}));
  const { task_id } = await person.start(script({ tools: calls }, { text: "Done." }));
  const answers = (await person.end(task_id))
    .filter(({ type }) => type === "tool_result")
    .map(({ body }) => [body.result?.mcp_tool, body.result?.text]);
  return { state: server.state, notes: server.notes, answers: Object.fromEntries(answers) };
}

describe("an agent calls every tool of the protocol's reference server", () => {
  it("over HTTP", async () => {
    const service = await otherSharedService("eager");
    const everything = await startEverything();
    onTestFinished(() => everything.close());
    const person = await newTaskClient(service);
    const own = newMcpOwner(service, person.account.token);
    const server = await own.add({ name: "everything", url: everything.url });
    expect(await allOf(person, own, server)).toEqual(EXPECTED);
  });

  it.skipIf(NO_BUBBLEWRAP)(`as a program of the project${SKIPPED}`, async () => {
    const service = await otherSharedService("host");
    const person = await newTaskClient(service);
    const { token } = person.account;
    const write = (path: string, content: string) =>
      service.call("PUT", `/api/projects/${person.projectId}/files/${path}`, { token, json: { content } });
    await write("everything.mjs", await inOneFile());
    const entry = { command: "node", args: ["everything.mjs"] };
    await write(".mcp.json", JSON.stringify({ mcpServers: { everything: entry } }));

    const path = "/api/mcp/stdio-servers";
    const project_id = person.projectId;
    const { body: listed } = await service.call<api.StdioServers>("GET", `${path}?project_id=${project_id}`, {
      token,
    });
    const { body: server } = await service.call<McpServer>("POST", path, {
      token,
      json: { project_id, name: "everything", hash: listed.servers[0]?.hash },
    });
    expect(await allOf(person, newMcpOwner(service, token), server)).toEqual(EXPECTED);
  });
});

/** The reference server's program over stdio: projects see no packages of this repository. */
async function inOneFile(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [
      fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/transports/stdio.js")),
    ],
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    banner: {
      js: `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);`,
    },
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}
