import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { FORM } from "#test/support/asking-server.ts";
import { frameOf, newChatClient } from "#test/support/chat-client.ts";
import { asking, completed, deferCalls, heardOf, working } from "#test/support/deferring-server.ts";
import { newMcpOwner } from "#test/support/mcp-servers.ts";
import { plainTool, startMcpStub } from "#test/support/mcp-stub.ts";
import { otherSharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script, UNTIL_GO } from "#test/support/task-client.ts";

const service = await otherSharedService("eager");
const stub = await startMcpStub([plainTool("build")]);
const person = await newTaskClient(service);
const own = newMcpOwner(service, person.account.token);
await own.add({ name: "long", url: stub.url });
afterAll(() => stub.close());
afterEach(() => {
  stub.instead = {};
  stub.requests.length = 0;
});

const BUILD = script({ tools: [call("mcp__long__build", { q: "build0" })] }, { text: "Done." });

/** The events of a task, once it has ended. */
async function eventsOf(message: string) {
  const { task_id } = await person.start(message);
  return person.end(task_id);
}

type Events = Awaited<ReturnType<typeof eventsOf>>;
const resultsIn = (events: Events) =>
  events.filter(({ type }) => type === "tool_result").map(({ body }) => body.result);

describe("a call that its server goes on with", () => {
  it("is made once, shown as it goes on, and its result is the call's", async () => {
    const steps = [working({ statusMessage: "Compiling" }), working({ statusMessage: "Linking" })];
    deferCalls(stub, [...steps, completed("Built.", { structuredContent: { size: 7 } })]);
    const events = await eventsOf(BUILD);
    expect(resultsIn(events)).toMatchObject([
      { success: true, mcp_server: "long", mcp_tool: "build", text: 'Built.\n{"size":7}' },
    ]);
    const shown = events.filter(({ type }) => type === "tool_progress").map(({ body }) => body.content);
    expect(shown).toEqual(["Still running on the server", "Compiling", "Linking"]);
    expect(stub.calls()).toHaveLength(1);
    const asked = stub.requests.filter(({ method }) => method === "tasks/get");
    expect(asked.map(({ headers }) => headers["mcp-name"])).toEqual(Array(3).fill("task-of-build0"));
  });

  it("is cancelled at its server, once, when the task is stopped", async () => {
    deferCalls(stub, [working()]);
    const { task_id } = await person.start(BUILD);
    await vi.waitFor(() => expect(heardOf(stub, "tasks/get")).not.toEqual([]));
    await service.call("POST", `/api/chat/agent/cancel/${task_id}`, { token: person.account.token });
    const events = await person.end(task_id);
    expect(events.at(-1)).toMatchObject({ body: { data: { status: "cancelled" } } });
    await vi.waitFor(() =>
      expect(heardOf(stub, "tasks/cancel")).toMatchObject([{ taskId: "task-of-build0" }]),
    );
  });

  it("asks its task's person, and goes on with the answers", async () => {
    deferCalls(stub, [asking({ where: FORM }), working(), completed("Deployed.")]);
    const chat = await newChatClient(service, { account: person.account, projectId: person.projectId });
    const stream = await chat.send(BUILD, { edit_mode: "allow" });
    const question = await frameOf(stream, "approval_required");
    expect(question.data).toMatchObject({
      tool: "mcp__long__build",
      input: { server: "long", mode: "form" },
    });
    const json = {
      approval_id: question.data?.["approval_id"],
      response: "accept",
      content: { region: "eu" },
    };
    const { token } = person.account;
    expect(await service.call("POST", "/api/chat/agent/approval", { token, json })).toMatchObject({
      status: 200,
    });
    const frames = await chat.replay(stream.taskId);
    expect(frames.find(({ type }) => type === "tool_call")?.data?.["result"]).toMatchObject({
      text: "Deployed.",
      questions: [expect.stringContaining("The user answered")],
    });
    expect(heardOf(stub, "tasks/update")).toMatchObject([
      {
        taskId: "task-of-build0",
        inputResponses: { where: { action: "accept", content: { region: "eu" } } },
      },
    ]);
  });
});

describe("a server of the official package, which here is the service itself", async () => {
  await own.add({ name: "self", url: `${service.url}/mcp`, token: person.key });
  const inner = await newTaskClient(service, { account: person.account });
  /** Has an agent start a task of another one, which waits for the file `go.txt`. */
  const start = () => {
    const message = script({ tools: [call("bash_exec", { command: UNTIL_GO })] }, { text: "Inner." });
    const args = { project_id: inner.projectId, message };
    return person.start(script({ tools: [call("mcp__self__start_task", args)] }, { text: "Outer." }));
  };
  const innerTasks = async () => {
    const path = `/api/v1/agents/tasks?project_id=${inner.projectId}`;
    const { body } = await service.call<{ items: { status: string }[] }>("GET", path, {
      token: inner.key,
    });
    return body.items;
  };

  it("is told that its client no longer waits for its task", async () => {
    const { task_id } = await start();
    await person.event(task_id, "tool_progress");
    await person.cancel(task_id);
    await vi.waitFor(async () => expect(await innerTasks()).toMatchObject([{ status: "cancelled" }]));
  });

  it("has its task followed to the end", async () => {
    const { task_id } = await start();
    await person.event(task_id, "tool_progress");
    await service.call("PUT", `/api/projects/${inner.projectId}/files/go.txt`, {
      token: person.account.token,
      json: { content: "" },
    });
    const [result] = resultsIn(await person.end(task_id));
    expect(result).toMatchObject({
      success: true,
      mcp_tool: "start_task",
      text: expect.stringContaining('"response":"Inner."'),
    });
  });
});
