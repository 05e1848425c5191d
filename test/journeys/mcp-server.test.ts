import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "@modelcontextprotocol/client";
import { connectMcp, useTool, type Era } from "#test/support/mcp-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script, type TaskClient } from "#test/support/task-client.ts";

const service = sharedService();
let person: TaskClient;
beforeAll(async () => {
  person = await newTaskClient(service);
});

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
    const path = `by-${era}.md`;
    const started = await useTool(client, "start_task", {
      project_id: projectId,
      message: script({ tools: [call("write_file", { path, content: "one\ntwo\n" })] }, { text: "Written." }),
    });
    expect(started).toMatchObject({
      project_id: projectId,
      status: expect.stringMatching(/queued|running/u),
    });
    const told: (string | undefined)[] = [];
    const { structuredContent } = await client.callTool(
      { name: "get_task", arguments: { task_id: started["task_id"], wait_seconds: 50 } },
      { onprogress: ({ message }) => told.push(message) },
    );
    expect(structuredContent).toMatchObject({ status: "completed", response: "Written.", tool_calls: 1 });
    expect(told).toContain("The agent uses write_file");
    const file = await useTool(client, "read_project_file", { project_id: projectId, path });
    expect(file).toEqual({ project_id: projectId, path, content: "one\ntwo\n" });

    const uri = `workspace://tasks/${String(started["task_id"])}/transcript`;
    const { contents } = await client.readResource({ uri });
    expect(contents).toMatchObject([{ uri, mimeType: "text/markdown", text: expect.stringContaining(path) }]);
  });

  it("writes, lists, searches and reads files, and runs commands", async () => {
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
    expect(
      await useTool(client, "read_project_file", { project_id, path, offset: 2, limit: 3 }),
    ).toMatchObject({
      content: "nee",
      next_offset: 5,
    });
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

  it("continues a chat, repeats a message without a second task, and cancels", async () => {
    const idempotency_key = `k-${era}`;
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

  it("gets a refusal as a sentence", async () => {
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
