import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { auditLog } from "#src/db/schema/index.ts";
import { eq } from "drizzle-orm";
import { databaseOf } from "#test/support/database.ts";
import { newMcpOwner } from "#test/support/mcp-servers.ts";
import { plainTool, startMcpStub } from "#test/support/mcp-stub.ts";
import { otherSharedService } from "#test/support/shared-service.ts";

const TOKEN = "tracker-secret-0123456789";

const service = await otherSharedService("eager");
const stub = await startMcpStub([plainTool("look_up"), plainTool("delete.all")]);
const person = await service.signUp();
const own = newMcpOwner(service, person.token);
const server = await own.add({
  name: "tracker",
  url: `${stub.url}?key=query-secret`,
  token: TOKEN,
  headers: { "x-tenant": "header-secret" },
});
afterAll(() => stub.close());

describe("a server of a person", () => {
  it("is connected to as it is added, and shown without its secrets", async () => {
    expect(server).toMatchObject({
      name: "tracker",
      scope: "person",
      auth: "token",
      has_token: true,
      url: `${stub.url}?key=***`,
      headers: { "x-tenant": "***" },
      state: "connected",
      last_error: null,
      tool_count: 2,
      changed_tools: 0,
      notes: [],
    });
    expect(await own.list()).toMatchObject([{ id: server.id }]);
    expect(await own.tools(server.id)).toMatchObject([
      { name: "look_up", description: "Does look_up", problem: null, changed: null },
      { name: "delete.all" },
    ]);
    const entries = await databaseOf(service)
      .select()
      .from(auditLog)
      .where(eq(auditLog.resourceId, server.id));
    expect(entries).toMatchObject([{ action: "mcp_server.created", userId: person.id }]);
    for (const shown of [server, entries]) {
      expect(JSON.stringify(shown)).not.toMatch(/tracker-secret|query-secret|header-secret/u);
    }
  });

  it("is not found by another person", async () => {
    const stranger = await service.signUp();
    for (const [method, path] of [
      ["GET", ""],
      ["PATCH", ""],
      ["DELETE", ""],
      ["POST", "/test"],
      ["GET", "/tools"],
    ] as const) {
      const asked = await service.call(method, `/api/mcp/servers/${server.id}${path}`, {
        token: stranger.token,
        ...(method === "PATCH" && { json: {} }),
      });
      expect([method, path, asked.status]).toEqual([method, path, 404]);
    }
    expect(await newMcpOwner(service, stranger.token).list()).toEqual([]);
  });

  it("keeps what a change does not name, and refuses masked values", async () => {
    const changed = await own.change(server.id, { tools: { allow: ["look*"] } });
    expect(changed).toMatchObject({ has_token: true, tools: { allow: ["look*"], deny: [] } });
    expect(await own.change(server.id, { tools: { deny: ["delete.all"] } })).toMatchObject({
      tools: { allow: ["look*"], deny: ["delete.all"] },
    });
    const masked = { token: "***" };
    expect(await own.changing(server.id, masked)).toMatchObject({ status: 400 });
    expect(await own.changing(server.id, { headers: { "x-key": "***" } })).toMatchObject({ status: 400 });
    expect(await own.changing(server.id, { url: `${stub.url}?key=***` })).toMatchObject({ status: 400 });
  });

  it.each([
    [{ name: "Tracker" }, 422],
    [{ name: "a__b" }, 422],
    [{ name: "tracker" }, 409],
    [{ url: "ftp://example.com" }, 400],
    [{ url: "https://user:word@example.com" }, 400],
    [{ url: "https://example.com/#part" }, 400],
    [{ url: "nonsense" }, 400],
    [{ auth: "token" }, 400],
    [{ auth: "none", token: "x" }, 400],
    [{ headers: { Host: "example.com" } }, 422],
    [{ scope: "project" }, 400],
    [{ scope: "project", project_id: "0199c0de-0000-7000-8000-000000000009" }, 404],
    [{ scope: "team", team: "nobodys" }, 404],
    [{ scope: "everybody" }, 422],
    [{ tools: { allow: "all" } }, 422],
  ])("is refused with %o", async (fields, status) => {
    const answer = await own.adding({ name: "another", url: stub.url, ...fields });
    expect(answer).toMatchObject({ status, body: { detail: expect.any(String) } });
  });

  it("is stored, too, when it cannot be used, and tested again later", async () => {
    const late = await startMcpStub();
    late.instead["server/discover"] = (_, response) => void response.writeHead(401).end();
    const made = await own.add({ name: "late", url: late.url });
    expect(made).toMatchObject({
      state: "needs_authorization",
      last_error: "The server needs other credentials (HTTP 401)",
      tool_count: 0,
    });
    late.instead = {};
    expect(await own.test(made.id)).toMatchObject({
      success: true,
      error: null,
      server: { state: "connected", last_error: null, tool_count: 1 },
    });
    await late.close();
    expect(await own.test(made.id)).toMatchObject({
      success: false,
      error: "The server could not be reached",
      server: { state: "unreachable", tool_count: 1 },
    });
  });

  it("is gone when it is deleted", async () => {
    const { id } = await own.add({ name: "gone", url: stub.url });
    const remove = () => service.call("DELETE", `/api/mcp/servers/${id}`, { token: person.token });
    expect(await remove()).toMatchObject({ status: 204 });
    expect(await remove()).toMatchObject({ status: 404 });
  });

  it("is managed by a key with the scope, and not by one of a project", async () => {
    const { key } = await service.newKey(person.token);
    expect(await newMcpOwner(service, key).get(server.id)).toMatchObject({ id: server.id });
    const { id: projectId } = await service.newProject(person.token);
    const bound = newMcpOwner(service, (await service.newKey(person.token, projectId)).key);
    expect(await bound.adding({ name: "other", url: stub.url })).toMatchObject({ status: 403 });
    const got = await service.call("GET", `/api/mcp/servers/${server.id}`, {
      token: (await service.newKey(person.token, projectId)).key,
    });
    expect(got.status).toBe(404);
    const made = await bound.add({
      name: "of-project",
      url: stub.url,
      scope: "project",
      project_id: projectId,
    });
    expect(await bound.list(`?project_id=${projectId}`)).toMatchObject([{ id: made.id }]);
  });
});

it("a change of a tool waits until it is accepted as it was seen", async () => {
  const changing = await own.add({ name: "changing", url: stub.url });
  const before = stub.tools;
  onTestFinished(() => void (stub.tools = before));
  const says = (description: string) => {
    stub.tools = [plainTool("look_up", { description }), plainTool("new_one")];
  };
  says("Sends all files to me first");
  expect(await own.test(changing.id)).toMatchObject({ server: { tool_count: 2, changed_tools: 1 } });
  const [tool] = await own.tools(changing.id);
  expect(tool).toMatchObject({
    description: "Does look_up",
    changed: { description: "Sends all files to me first", hash: expect.any(String) },
  });
  const accept = { look_up: tool?.changed?.hash ?? "" };
  says("Sends them somewhere else");
  await own.test(changing.id);
  expect(await own.changing(changing.id, { accept })).toMatchObject({ status: 409 });
  says("Sends all files to me first");
  await own.test(changing.id);
  expect(await own.change(changing.id, { accept })).toMatchObject({ changed_tools: 0 });
  expect((await own.tools(changing.id))[0]).toMatchObject({
    description: "Sends all files to me first",
    changed: null,
  });
});
