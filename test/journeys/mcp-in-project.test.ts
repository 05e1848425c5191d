import { beforeAll, describe, expect, it } from "vitest";
import { NO_BUBBLEWRAP, SKIPPED } from "#test/hosts/support/runtime-host.ts";
import { newMcpOwner } from "#test/support/mcp-servers.ts";
import { otherSharedService, type SharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";

/** An MCP server of 2025-11-25 without sessions, beside the port that its container is looked at by. */
const MCP_SERVER = String.raw`
import http from "node:http";
import { text } from "node:stream/consumers";
const tools = [{ name: "greet", description: "Greets", inputSchema: { type: "object" } }];
const results = {
  initialize: () => ({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "own", version: "1" } }),
  "tools/list": () => ({ tools }),
  "tools/call": (authorization) => ({ content: [{ type: "text", text: "Hello from the project, " + authorization }] }),
};
const answer = async (request, response) => {
  const { id, method } = JSON.parse(await text(request) || "{}");
  if (id === undefined) return response.writeHead(202).end();
  const result = results[method]?.(request.headers.authorization);
  const error = { code: -32601, message: "Method not found" };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) }));
};
http.createServer(answer).listen(4311, "127.0.0.1");
http.createServer((_, response) => response.end("here")).listen(process.env.PORT, "127.0.0.1");
`;

describe.skipIf(NO_BUBBLEWRAP)(`an MCP server that a project runs itself${SKIPPED}`, () => {
  let service: SharedService;
  beforeAll(async () => {
    service = await otherSharedService("host");
  });

  it("is used in the project once it runs, and nowhere else", async () => {
    const owner = await service.signUp("owner");
    const { token } = owner;
    const [here, elsewhere] = [await service.newProject(token), await service.newProject(token)];
    const own = newMcpOwner(service, token);
    const made = await own.add({
      name: "own",
      url: "http://localhost:4311/mcp",
      scope: "project",
      project_id: here.slug,
      token: "a-token-of-the-project",
    });
    expect(made).toMatchObject({
      state: "unreachable",
      last_error: "Nothing answers on port 4311 of the project: start the container that has the server",
    });
    const others = await own.add({
      name: "own",
      url: "http://localhost:4311/mcp",
      scope: "project",
      project_id: elsewhere.slug,
    });

    await service.call("PUT", `/api/projects/${here.id}/files/server.mjs`, {
      token,
      json: { content: MCP_SERVER },
    });
    await service.call("POST", `/api/projects/${here.id}/containers`, {
      token,
      json: { name: "mcp", project_id: here.id, directory: ".", startup_command: "node server.mjs" },
    });
    await service.call("POST", `/api/projects/${here.id}/containers/start-all`, { token });
    const tested = async () => (await own.test(made.id)).server.state;
    await expect.poll(tested, { interval: 200 }).toBe("connected");

    const message = script({ tools: [call("mcp__own__greet", {})] }, { text: "Done." });
    const agent = await newTaskClient(service, { account: owner, projectId: here.id });
    const { task_id } = await agent.start(message);
    const events = await agent.end(task_id);
    // The token is removed from what the model sees, and was sent.
    expect(events.find(({ type }) => type === "tool_result")?.body.result).toMatchObject({
      success: true,
      text: expect.stringMatching(/^Hello from the project, Bearer (?!a-token-of-the-project)/u),
    });
    expect(await own.test(others.id)).toMatchObject({ server: { state: "unreachable" } });
  });
});
