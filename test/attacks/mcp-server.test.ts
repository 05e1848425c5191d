import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { TOOLS } from "#src/mcp/server/index.ts";
import { signedIn } from "#test/support/browser.ts";
import { allow, newRawClient } from "#test/support/oauth-client.ts";
import { connectMcp } from "#test/support/mcp-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTaskClient, type TaskClient } from "#test/support/task-client.ts";

const service = sharedService();

const SECRET = `secret-${crypto.randomUUID()}`;
const [owner, stranger] = [await newTaskClient(service), await newTaskClient(service)];
await service.call("PUT", `/api/projects/${owner.projectId}/files/plans.txt`, {
  token: owner.account.token,
  json: { content: SECRET },
});
const { task_id: taskId, chat_id: chatId } = await owner.start(`Say ${SECRET}`);
await owner.end(taskId);

async function newKey(scopes: readonly string[]) {
  const json = { name: "narrow", scopes };
  const { token } = owner.account;
  return (await service.call<{ key: string }>("POST", "/api/external-api-keys", { token, json })).body.key;
}

const connect = (key: string) => connectMcp({ url: service.url, key });

const listing = (tool = "list_projects", args: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: tool, arguments: args },
});

/** Calls of every tool with what is the owner's. */
const callsOf = ({ projectId: project_id }: TaskClient): Record<string, Record<string, unknown>> => ({
  list_projects: {},
  start_task: { project_id, message: "x" },
  get_task: { task_id: taskId, wait_seconds: 5 },
  list_tasks: { project_id },
  cancel_task: { task_id: taskId },
  send_message: { chat_id: chatId, message: "x" },
  list_project_files: { project_id },
  read_project_file: { project_id, path: "plans.txt" },
  write_project_file: { project_id, path: "planted.txt", content: "x" },
  search_project_files: { project_id, query: "secret" },
  run_project_command: { project_id, command: "cat plans.txt" },
});

describe("a client without a good key", () => {
  it.each([
    ["no key", {}],
    ["any bearer", { authorization: "Bearer x" }],
    ["a key that was never issued", { authorization: `Bearer tsk_${"0".repeat(32)}` }],
    ["a token that was never issued", { authorization: `Bearer tso_${"0".repeat(64)}` }],
  ])("is told how to come in: %s", async (name, headers) => {
    for (const path of ["/mcp", "/api/mcp/server", "/api/mcp/server/", "/api/mcp/server/mcp"]) {
      const answer = await service.call("POST", path, { headers, json: listing() });
      const metadata = `${service.url}/.well-known/oauth-protected-resource${path.replace(/\/$/u, "")}`;
      const error = name === "no key" ? "" : `error="invalid_token", `;
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
        401,
        `Bearer ${error}resource_metadata="${metadata}"`,
      ]);
      const described = await service.call("GET", new URL(metadata).pathname);
      expect(described.body).toMatchObject({
        resource: `${service.url}${path.replace(/\/$/u, "")}`,
        authorization_servers: [service.stack.variables["PUBLIC_URL"]],
      });
    }
  });

  it("is refused with the token of a person", async () => {
    const answer = await service.call("POST", "/mcp", { token: owner.account.token, json: listing() });
    expect(answer.status).toBe(401);
  });
});

describe("a page of another origin", () => {
  it.each(["https://evil.example", "null", "http://app-1--web.localhost"])(
    "is refused, also with a key: %s",
    async (origin) => {
      const headers = { origin };
      expect((await service.call("POST", "/mcp", { headers, json: listing() })).status).toBe(403);
      const answer = await service.call("POST", "/mcp", { token: owner.key, headers, json: listing() });
      expect(answer.status).toBe(403);
    },
  );

  it("is refused under a name of its own that resolves to the service", async () => {
    const { port } = new URL(service.url);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = {
        host: `rebound.evil.example:${port}`,
        authorization: `Bearer ${owner.key}`,
        "content-type": "application/json",
      };
      const sent = request(`${service.url}/mcp`, { method: "POST", headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.on("error", reject).end(JSON.stringify(listing()));
    });
    expect(status).toBe(403);
  });
});

/** An app that the owner has allowed in another team. */
async function newAppElsewhere(): Promise<string> {
  const { who, token } = await signedIn(service, owner.account);
  const made = await service.call<{ slug: string }>("POST", "/api/teams", { token, json: { name: "Other" } });
  const app = await newRawClient(service);
  const back = await allow(who, app.asking(), made.body.slug);
  return (await app.exchange(back.searchParams.get("code") ?? "")).body.access_token;
}

describe.each([
  ["a stranger's key", stranger.key],
  ["an app that the owner has allowed in another team", await newAppElsewhere()],
])("%s", (_, key) => {
  it("finds nothing of the owner's, by any tool", async () => {
    const client = await connect(key);
    const calls = callsOf(owner);
    expect(Object.keys(calls).toSorted()).toEqual(TOOLS.map(({ name }) => name).toSorted());
    for (const [name, args] of Object.entries(calls)) {
      const { content, isError } = await client.callTool({ name, arguments: args });
      const said = JSON.stringify(content);
      expect([name, isError === true, /not found/u.test(said)]).toEqual([
        name,
        name !== "list_projects",
        name !== "list_projects",
      ]);
      expect(said).not.toContain(SECRET);
      expect(said.includes(owner.projectId)).toBe(false);
    }
  });

  it("finds nothing by URI, and sees none of it in the lists", async () => {
    const client = await connect(key);
    for (const uri of [
      `workspace://projects/${owner.projectId}/files`,
      `workspace://projects/${owner.projectId}/files/plans.txt`,
      `workspace://tasks/${taskId}/transcript`,
    ]) {
      await expect(client.readResource({ uri })).rejects.toThrow("not found");
    }
    const { resources } = await client.listResources();
    expect(JSON.stringify(resources)).not.toMatch(new RegExp(`${owner.projectId}|${taskId}`, "u"));
  });
});

describe("a key with few permissions", () => {
  it.each([...new Set(TOOLS.map(({ scope }) => scope))])(
    "is offered the tools of its permission alone: %s",
    async (scope) => {
      const client = await connect(await newKey([scope]));
      const { tools } = await client.listTools();
      const own = TOOLS.filter((tool) => tool.scope === scope).map(({ name }) => name);
      expect(tools.map(({ name }) => name)).toEqual(own);
      for (const [name, args] of Object.entries(callsOf(owner))) {
        if (own.includes(name)) continue;
        const answer = await client
          .callTool({ name, arguments: args })
          .catch((error: Error) => ({ isError: true, content: error.message }));
        expect([name, answer.isError, JSON.stringify(answer.content).includes(SECRET)]).toEqual([
          name,
          true,
          false,
        ]);
      }
      const planted = await service.call("GET", `/api/projects/${owner.projectId}/files/planted.txt`, {
        token: owner.account.token,
      });
      expect(planted.status).toBe(404);
    },
  );

  it("is offered nothing with a permission that no tool needs", async () => {
    const client = await connect(await newKey(["usage.read"]));
    expect((await client.listTools()).tools).toEqual([]);
    expect((await client.listResources()).resources).toEqual([]);
    await expect(client.getPrompt({ name: "any" })).rejects.toThrow("Method not found");
  });
});

describe("a hostile call", () => {
  it.each(["../../etc/passwd", "/../secret", ".git/config", "a\0b", ""])(
    "writes nothing at %j",
    async (path) => {
      const client = await connect(owner.key);
      const args = { project_id: owner.projectId, path, content: "x" };
      const { isError } = await client.callTool({ name: "write_project_file", arguments: args });
      expect(isError).toBe(true);
    },
  );

  it.each([
    ["%2e%2e%2f%2e%2e%2fetc%2fpasswd", "path"],
    ["%ff", "well-formed"],
    ["a%00b", "path"],
  ])("reads nothing at %s", async (path, refusal) => {
    const client = await connect(owner.key);
    const uri = `workspace://projects/${owner.projectId}/files/${path}`;
    await expect(client.readResource({ uri })).rejects.toThrow(refusal);
  });

  it("of too many bytes is refused", async () => {
    const content = "x".repeat(2 * 1024 * 1024);
    const json = listing("write_project_file", { project_id: owner.projectId, path: "big", content });
    expect((await service.call("POST", "/mcp", { token: owner.key, json })).status).toBe(413);
  });

  it.each([
    ["no JSON", "{"],
    ["no message", "{}"],
    ["an answer", JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} })],
    ["a batch of more calls than one request is worth", JSON.stringify(Array(11).fill(listing()))],
    ["a batch of none", "[]"],
    ["nesting without an end", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
  ])("is refused: %s", async (_, body) => {
    const headers = { "content-type": "application/json" };
    const { status } = await service.call("POST", "/mcp", { token: owner.key, headers, body });
    expect([400, 422]).toContain(status);
  });

  it("opens no stream that lasts", async () => {
    const client = await connect(owner.key);
    const { closed, honoredFilter } = await client.listen({ toolsListChanged: true });
    expect([honoredFilter, await closed]).toEqual([{}, "graceful"]);
  });

  it("is answered as itself among a hundred at once", async () => {
    const calls = Array.from({ length: 100 }, (_, id) => ({ ...listing(), id }));
    const answers = await Promise.all(
      calls.map((json) => service.call("POST", "/mcp", { token: owner.key, json })),
    );
    for (const [id, { status, text }] of answers.entries()) {
      expect([status, text]).toEqual([200, expect.stringMatching(new RegExp(`"id":${id}[,}]`, "u"))]);
    }
  });
});
