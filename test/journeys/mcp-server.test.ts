import { beforeAll, describe, expect, it, vi } from "vitest";
import type { Client } from "@modelcontextprotocol/client";
import { connectMcp, useTool, type Era } from "#test/support/mcp-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";

const service = sharedService();
const person = await newTaskClient(service);

const connect = (key: string, how?: Parameters<typeof connectMcp>[1]) =>
  connectMcp({ url: service.url, key }, how);

describe.each<Era>(["2026-07-28", "legacy"])("a client of %s", (era) => {
  let client: Client;
  beforeAll(async () => {
    client = await connect(person.key, { era });
  });

  it("is told what the server is and has", async () => {
    expect(client.getServerVersion()).toMatchObject({ name: "agent-workspace" });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "list_projects",
      "start_task",
      "get_task",
      "list_tasks",
      "cancel_task",
      "send_message",
      "list_project_files",
      "read_project_file",
      "write_project_file",
      "search_project_files",
      "run_project_command",
    ]);
  });

  it("starts a task, follows it to its end, and reads the file that it wrote", async () => {
    const { projectId } = person;
    const [path, go] = [`by-${era}.md`, `go-${era}`];
    // It is still at work when it is followed: of one that is over, no progress is told.
    const command = `until [ -e ${go} ]; do sleep 0.1; done; printf 'one\\ntwo\\n' > ${path}`;
    const started = await useTool(client, "start_task", {
      project_id: projectId,
      message: script({ tools: [call("bash_exec", { command })] }, { text: "Written." }),
    });
    expect(started).toMatchObject({
      project_id: projectId,
      status: expect.stringMatching(/queued|running/u),
    });
    const told: (string | undefined)[] = [];
    const following = client.callTool(
      { name: "get_task", arguments: { task_id: started["task_id"], wait_seconds: 50 } },
      { onprogress: ({ message }) => told.push(message) },
    );
    await expect.poll(() => told).toContain("The agent uses bash_exec");
    await useTool(client, "write_project_file", { project_id: projectId, path: go, content: "go" });
    const { structuredContent } = await following;
    expect(structuredContent).toMatchObject({ status: "completed", response: "Written.", tool_calls: 1 });
    const file = await useTool(client, "read_project_file", { project_id: projectId, path });
    expect(file).toEqual({ project_id: projectId, path, content: "one\ntwo\n" });

    const uri = `workspace://tasks/${String(started["task_id"])}/transcript`;
    const { contents } = await client.readResource({ uri });
    expect(contents).toMatchObject([{ uri, mimeType: "text/markdown", text: expect.stringContaining(path) }]);
  });

  it("finds projects and tasks among the resources, and the team's agents among the prompts", async () => {
    const { resources } = await client.listResources();
    const uris = resources.map(({ uri }) => uri);
    expect(uris).toContain(`workspace://projects/${person.projectId}/files`);
    expect(uris).toContainEqual(expect.stringMatching(/^workspace:\/\/tasks\/.*\/transcript$/u));
    const { prompts } = await client.listPrompts();
    const name = prompts[0]?.name ?? "";
    const { messages } = await client.getPrompt({ name, arguments: { project: "app", task: "Tidy up" } });
    expect(messages).toMatchObject([{ role: "user", content: { text: expect.stringContaining("Tidy up") } }]);
  });
});

it("a client continues a chat, repeats a message without a second task, and cancels", async () => {
  const client = await connect(person.key);
  const idempotency_key = "once";
  const wish = { project_id: person.projectId, message: "Say hello", idempotency_key, wait_seconds: 50 };
  const first = await useTool(client, "start_task", wish);
  expect(first).toMatchObject({ status: "completed" });
  expect(await useTool(client, "start_task", wish)).toMatchObject({ task_id: first["task_id"] });
  const message = script({ text: "Slowly, ".repeat(100), chunks: 300, delay_ms: 100 });
  const second = await useTool(client, "send_message", {
    chat_id: first["chat_id"],
    message,
    wait_seconds: 1,
  });
  expect(second).toMatchObject({
    chat_id: first["chat_id"],
    status: expect.stringMatching(/queued|running/u),
  });
  const { task_id } = second;
  expect(await useTool(client, "cancel_task", { task_id })).toMatchObject({ cancel_requested: true });
  expect(await useTool(client, "get_task", { task_id, wait_seconds: 50 })).toMatchObject({
    status: "cancelled",
  });
  const { tasks, total } = await useTool(client, "list_tasks", { project_id: person.projectId, limit: 1 });
  expect(tasks).toMatchObject([{ task_id, status: "cancelled" }]);
  expect(total).toBeGreaterThan(1);
});

it("a client writes, lists, searches and reads files, and runs commands", async () => {
  const client = await connect(person.key);
  const { id: project_id } = await service.newProject(person.account.token);
  const path = "src/Größe 1.txt";
  expect(
    await useTool(client, "write_project_file", { project_id, path, content: "a\nneedle\n" }),
  ).toMatchObject({
    size: 9,
  });
  expect(await useTool(client, "list_project_files", { project_id, recursive: true })).toMatchObject({
    path: "/",
    files: [
      { path: "src", kind: "directory" },
      { path, kind: "file", size: 9 },
    ],
  });
  expect(await useTool(client, "search_project_files", { project_id, query: "needle" })).toMatchObject({
    hits: [{ path, line: 2 }],
  });
  expect(await useTool(client, "read_project_file", { project_id, path, offset: 2, limit: 3 })).toMatchObject(
    {
      content: "nee",
      next_offset: 5,
    },
  );
  expect(
    await useTool(client, "run_project_command", { project_id, command: "cat src/*; echo no >&2; exit 3" }),
  ).toMatchObject({ output: "a\nneedle\n", stderr: "no\n", exit_code: 3, timed_out: false });

  const listing = await client.readResource({ uri: `workspace://projects/${project_id}/files` });
  expect(listing.contents).toMatchObject([{ text: path }]);
  const file = await client.readResource({
    uri: `workspace://projects/${project_id}/files/${encodeURI(path)}`,
  });
  expect(file.contents).toMatchObject([{ text: "a\nneedle\n" }]);
});

it("a client gets a refusal as a sentence", async () => {
  const client = await connect(person.key);
  const nowhere = crypto.randomUUID();
  expect(await useTool(client, "list_project_files", { project_id: nowhere })).toEqual({
    error: "Project not found",
  });
  expect(await useTool(client, "get_task", { task_id: "no id" })).toEqual({ error: "Task not found" });
  const { error } = await useTool(client, "read_project_file", { project_id: person.projectId });
  expect(error).toContain("path");
  await expect(client.readResource({ uri: `workspace://projects/${nowhere}/files` })).rejects.toThrow(
    "Project not found",
  );
});

it("a wait ends where a person has to answer, and lasts once the person has answered", async () => {
  const client = await connect(person.key);
  const { token } = person.account;
  const { projectId: project_id } = person;
  const wish = { project_id, message: "Say hello", wait_seconds: 50 };
  const { chat_id } = await useTool(client, "start_task", wish);
  await service.call("PATCH", `/api/chat/${String(chat_id)}/update`, { token, json: { edit_mode: "ask" } });
  const message = script(
    { tools: [call("write_file", { path: "asked.txt", content: "yes" })] },
    { text: "Slowly. ".repeat(10), chunks: 10, delay_ms: 200 },
  );
  const asking = await useTool(client, "send_message", { chat_id, message, wait_seconds: 50 });
  const { task_id } = asking;
  expect(asking).toMatchObject({
    status: "running",
    waiting_for: { task_id, tool: "write_file" },
    answer_at: expect.stringMatching(`/app/projects/${project_id}/chats/${String(chat_id)}$`),
  });
  expect(await useTool(client, "list_tasks", { project_id, limit: 1 })).toMatchObject({
    tasks: [{ task_id, waiting_for: asking["waiting_for"] }],
  });
  const { approval_id } = Object(asking["waiting_for"]);
  const json = { approval_id, response: "allow_once" };
  expect(await service.call("POST", "/api/chat/agent/approval", { token, json })).toMatchObject({
    status: 200,
  });
  expect(await useTool(client, "get_task", { task_id, wait_seconds: 50 })).toMatchObject({
    status: "completed",
  });
});

it("every address of the server is the same server, and describes it", async () => {
  for (const path of ["/mcp", "/api/mcp/server", "/api/mcp/server/", "/api/mcp/server/mcp"]) {
    const client = await connect(person.key, { path });
    expect((await client.listTools()).tools.length).toBeGreaterThan(10);
    const described = await service.call("GET", path, { headers: { accept: "application/json" } });
    expect(described).toMatchObject({ status: 200, body: { transport: "streamable-http" } });
    const stream = await service.call("GET", path, { headers: { accept: "text/event-stream" } });
    expect([stream.status, stream.headers.get("allow")]).toEqual([405, "POST"]);
    expect(await service.call("DELETE", path)).toMatchObject({ status: 405 });
  }
});

it("a key of one project reaches that project alone", async () => {
  const bound = await newTaskClient(service, { account: person.account, boundKey: true });
  const client = await connect(bound.key);
  const { projects } = await useTool(client, "list_projects");
  expect(projects).toMatchObject([{ project_id: bound.projectId }]);
  expect(await useTool(client, "list_project_files", { project_id: person.projectId })).toEqual({
    error: "API key does not have access to this project",
  });
});

/** A request of 2026-07-28 as it is on the wire: the official client knows no tasks. */
async function ask(
  method: string,
  params: Record<string, unknown>,
  { extensions = {}, name = "", can = {} } = {},
) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { ...can, extensions },
  };
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": method, "mcp-name": name };
  const json = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } };
  const { status, body } = await service.call<{ result: Record<string, unknown>; error: { code: number } }>(
    "POST",
    "/mcp",
    { token: person.key, headers, json },
  );
  return { status, ...body };
}

describe("the extension for tasks", () => {
  const extensions = { "io.modelcontextprotocol/tasks": {} };
  const begin = async (message: string, declared: object = extensions) => {
    const wish = { name: "start_task", arguments: { project_id: person.projectId, message } };
    return (await ask("tools/call", wish, { extensions: declared, name: "start_task" })).result;
  };
  const about = (
    method: string,
    taskId: unknown,
    { can = {}, ...params }: { can?: object; [name: string]: unknown } = {},
  ) => ask(method, { taskId, ...params }, { extensions, name: String(taskId), can });

  it("gives a client that knows it a handle, and the result once the task has ended", async () => {
    const { capabilities } = (await ask("server/discover", {})).result;
    expect(capabilities).toMatchObject({ extensions });
    const handle = await begin("Say hello");
    expect(handle).toMatchObject({
      resultType: "task",
      // A task may end before its handle is given.
      status: expect.stringMatching(/^(?:working|completed)$/u),
      pollIntervalMs: 2_000,
      ttlMs: null,
    });
    const { taskId } = handle;
    await vi.waitFor(async () => {
      expect((await about("tasks/get", taskId)).result).toMatchObject({
        resultType: "complete",
        taskId,
        status: "completed",
        result: { structuredContent: { task_id: taskId, status: "completed" } },
      });
    });
    expect((await about("tasks/cancel", taskId)).result).toMatchObject({ resultType: "complete" });
  });

  it("says of a cancelled task that it is", async () => {
    const { taskId } = await begin(script({ text: "Slowly, ".repeat(100), chunks: 300, delay_ms: 100 }));
    expect((await about("tasks/cancel", taskId)).result).toMatchObject({ resultType: "complete" });
    const result = async () => (await about("tasks/get", taskId)).result;
    await expect.poll(result).toMatchObject({ status: "cancelled" });
  });

  it("leads the client's person to an approval, which the client itself cannot give", async () => {
    const { token } = person.account;
    const { task_id, chat_id } = await person.start("Say hello");
    await person.end(task_id);
    await service.call("PATCH", `/api/chat/${chat_id}/update`, { token, json: { edit_mode: "ask" } });
    const message = script(
      { tools: [call("write_file", { path: "by-handle.txt", content: "yes" })] },
      { text: "Written." },
    );
    const wish = { name: "send_message", arguments: { chat_id, message } };
    const { result: handle } = await ask("tools/call", wish, { extensions, name: "send_message" });
    const { taskId } = handle;
    const can = { elicitation: { url: {} } };
    const state = async () => (await about("tasks/get", taskId, { can })).result;
    await expect.poll(state).toMatchObject({ status: "input_required" });
    const asking = await state();
    const [[approval_id, question] = []] = Object.entries(Object(asking["inputRequests"]));
    expect(question).toEqual({
      method: "elicitation/create",
      params: {
        mode: "url",
        message: "May the agent use write_file? Answer in its chat.",
        url: expect.stringMatching(`/app/projects/${person.projectId}/chats/${chat_id}$`),
      },
    });
    // To open the address is to answer nothing.
    const inputResponses = {
      [String(approval_id)]: { action: "accept", content: { response: "allow_all" } },
    };
    expect((await about("tasks/update", taskId, { can, inputResponses })).result).toMatchObject({
      resultType: "complete",
    });
    expect(await state()).toEqual(asking);
    expect((await about("tasks/get", taskId)).result).toMatchObject({
      status: "working",
      statusMessage: "It waits for an approval, which a person gives in the console",
    });
    const json = { approval_id, response: "allow_once" };
    await service.call("POST", "/api/chat/agent/approval", { token, json });
    await expect.poll(state).toMatchObject({ status: "completed" });
  });

  it("is for clients that declare it, with each request, and for tasks of the key's person", async () => {
    expect(await begin("Say hello", {})).toMatchObject({
      resultType: "complete",
      content: [{ type: "text" }],
    });
    const { taskId } = await begin("Say hello");
    const name = String(taskId);
    expect(await ask("tasks/get", { taskId }, { name })).toMatchObject({
      status: 400,
      error: { code: -32_021 },
    });
    expect(await ask("tasks/get", { taskId }, { extensions, name: "other" })).toMatchObject({
      status: 400,
      error: { code: -32_020 },
    });
    const stranger = await newTaskClient(service);
    const { task_id: foreign } = await stranger.start("Say hello");
    expect(await about("tasks/get", foreign)).toMatchObject({
      error: { code: -32_602, message: "Task not found" },
    });
    expect(await about("tasks/cancel", foreign)).toMatchObject({ error: { code: -32_602 } });
  });
});
