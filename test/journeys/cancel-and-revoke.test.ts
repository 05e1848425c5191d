import { beforeAll, describe, expect, it, vi } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script, type TaskClient } from "#test/support/task-client.ts";

const service = sharedService();
let client: TaskClient;
beforeAll(async () => {
  client = await newTaskClient(service);
});

/** An executor pings every 3 s and then learns that it must stop. Without that, the tasks cancelled here run for 60 s. */
const SOON_MS = 40_000;

const IN_A_MODEL_CALL = script({ text: "I am thinking about it", chunks: 3, delay_ms: 60_000 });
const BEFORE_AN_ANSWER = script({ text: "late", first_delay_ms: 60_000 });
const inATool = (command: string) =>
  script({ tools: [call("bash_exec", { command })] }, { text: "The tool ended." });

/** Run it until it is where the test wants it. */
async function startAndWait(message: string, type: string) {
  const task = await client.start(message);
  await client.event(task.task_id, type);
  return task.task_id;
}

const revoke = (path: string, id: string) =>
  service.call("DELETE", `${path}/${id}`, { token: client.account.token });

describe.concurrent("cancelling a task", () => {
  it.each([
    ["in the middle of a model's answer", IN_A_MODEL_CALL, "text_delta"],
    ["before the model's answer begins", BEFORE_AN_ANSWER, "task_started"],
    ["in a tool that waits", inATool("sleep 60"), "tool_start"],
    ["in a tool that goes in circles", inATool("while true; do sleep 0.1; done"), "tool_start"],
  ])("%s ends it soon", async (_, message, type) => {
    const taskId = await startAndWait(message, type);
    const askedAt = Date.now();
    expect(await client.cancel(taskId)).toMatchObject({
      status: 200,
      body: {
        task_id: taskId,
        status: "cancelled",
        cancel_requested: true,
        cancelled_at: expect.any(String),
      },
    });
    const events = await client.end(taskId);
    expect(Date.now() - askedAt).toBeLessThan(SOON_MS);
    expect(events.slice(-2).map(({ body }) => body)).toMatchObject([
      { type: "complete", data: { success: false, completion_reason: "cancelled" } },
      { type: "done", status: "cancelled" },
    ]);
    expect(await client.status(taskId)).toMatchObject({
      status: "cancelled",
      completion_reason: "cancelled",
      error: null,
      completed_at: expect.any(String),
    });
  });

  it("in a tool that is busy ends it between two calls at the latest", async () => {
    const loops = Array.from({ length: 200 }, () =>
      call("bash_exec", { command: "for i in 1 2 3; do :; done; sleep 0.2" }),
    );
    const taskId = await startAndWait(script({ tools: loops }, { text: "All ran." }), "tool_result");
    await client.cancel(taskId);
    expect((await client.end(taskId)).at(-1)?.body.status).toBe("cancelled");
    expect(await client.status(taskId)).toMatchObject({ status: "cancelled" });
  });

  it("that waits for its chat ends it at once", async () => {
    const running = await client.start(IN_A_MODEL_CALL);
    const { body: waiting } = await client.invoke("Hello", { chat_id: running.chat_id });
    await client.cancel(waiting.task_id);
    expect(await client.status(waiting.task_id)).toMatchObject({ status: "cancelled", iterations: 0 });
    expect((await client.end(waiting.task_id)).map(({ type }) => type)).toEqual(["complete", "done"]);
    expect((await client.status(running.task_id)).status).not.toBe("cancelled");
    await client.cancel(running.task_id);
    await client.end(running.task_id);
  });

  it("that has just been acknowledged ends it, also when the executor starts at the same time", async () => {
    const tasks = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const { task_id: taskId } = await client.start(BEFORE_AN_ANSWER);
        await client.cancel(taskId);
        return taskId;
      }),
    );
    const endings = await Promise.all(tasks.map((taskId) => client.end(taskId)));
    for (const events of endings) {
      expect(events.filter(({ type }) => type === "done")).toHaveLength(1);
      expect(events.at(-1)?.body.status).toBe("cancelled");
    }
  });

  it("that is over changes nothing", async () => {
    const { task_id: taskId } = await client.start("Hello");
    const events = await client.end(taskId);
    const status = await client.status(taskId);
    expect(await client.cancel(taskId)).toMatchObject({
      status: 200,
      body: { task_id: taskId, status: "completed", cancel_requested: false, reason: "terminal" },
    });
    expect(await client.status(taskId)).toEqual(status);
    expect(await client.end(taskId)).toEqual(events);
  });

  it("twice says the same twice, and a cancelled task stays cancelled", async () => {
    const taskId = await startAndWait(IN_A_MODEL_CALL, "text_delta");
    const answers = await Promise.all([client.cancel(taskId), client.cancel(taskId)]);
    expect(answers.map(({ body }) => body.status)).toEqual(["cancelled", "cancelled"]);
    await client.end(taskId);
    expect((await client.cancel(taskId)).body).toMatchObject({ status: "cancelled", reason: "terminal" });
  });

  it("works under the external path as well", async () => {
    const { task_id: taskId } = await client.start(BEFORE_AN_ANSWER);
    const path = `/api/external/agent/cancel/${taskId}`;
    expect((await service.call("POST", path, { token: client.key })).status).toBe(200);
    expect((await client.end(taskId)).at(-1)?.body.status).toBe("cancelled");
  });
});

/** What is left of a task that ended early: its status, the turns in the database, and what its last events say. */
async function leftOf(taskId: string) {
  const events = await client.end(taskId);
  const { body } = await service.call<{ items: { step_data: Record<string, unknown> }[] }>(
    "GET",
    `/api/v1/agents/tasks/${taskId}/steps`,
    { token: client.key },
  );
  return {
    status: await client.status(taskId),
    steps: body.items.map(({ step_data }) => step_data),
    complete: events.find(({ type }) => type === "complete")?.body.data,
    ended: events.filter(({ type }) => type === "agent_step"),
  };
}

describe.concurrent("a turn that is stopped in the middle", () => {
  const HALF = script({ text: "I am thinking about it", chunks: 3, delay_ms: 60_000 }, { text: "never" });
  const TOOLS = script(
    {
      text: "Two commands.",
      tools: [
        call("bash_exec", { command: "echo one" }),
        call("bash_exec", { command: "sleep 60" }),
        call("bash_exec", { command: "echo three" }),
      ],
    },
    { text: "never" },
  );
  const stops: [string, (of: TaskClient, taskId: string) => Promise<unknown>][] = [
    ["a cancel", (of, taskId) => of.cancel(taskId)],
    ["a revoked key", (of) => revoke("/api/external-api-keys", of.keyId)],
  ];

  it.each(stops)("keeps what it said and used, after %s", async (_, stop) => {
    const mate = await newTaskClient(service, { account: client.account, projectId: client.projectId });
    const { task_id } = await mate.start(HALF);
    await mate.event(task_id, "text_delta");
    await stop(mate, task_id);
    const { status, steps, complete, ended } = await leftOf(task_id);
    expect(status).toMatchObject({ response: expect.stringMatching(/^I am/u), iterations: 1, tool_calls: 0 });
    expect(steps).toMatchObject([{ iteration: 1, response_text: status.response, is_complete: false }]);
    expect(ended).toHaveLength(1);
    expect(complete).toMatchObject({
      final_response: status.response,
      iterations: 1,
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
    });
    expect(Object(complete?.["usage"]).output_tokens).toBeGreaterThan(0);
  });

  it.each(stops)("keeps the calls that had begun, after %s", async (_, stop) => {
    const mate = await newTaskClient(service, { account: client.account, projectId: client.projectId });
    const { task_id } = await mate.start(TOOLS);
    for await (const { type, body } of mate.events(task_id)) {
      if (type === "tool_start" && body.args?.["command"] === "sleep 60") break;
    }
    await stop(mate, task_id);
    const { status, steps, complete, ended } = await leftOf(task_id);
    expect(status).toMatchObject({ response: "Two commands.", iterations: 1, tool_calls: 2 });
    expect(steps).toMatchObject([
      {
        tool_calls: [
          { parameters: { command: "echo one" }, result: { success: true } },
          { parameters: { command: "sleep 60" }, result: { success: false } },
        ],
      },
    ]);
    expect(ended).toHaveLength(1);
    expect(complete).toMatchObject({ tool_calls_made: 2 });
  });

  it("keeps what it said while it waited for an approval", async () => {
    const { body: chat } = await service.call<{ id: string }>("POST", "/api/chat", {
      token: client.account.token,
      json: { project_id: client.projectId },
    });
    await service.call("PATCH", `/api/chat/${chat.id}/update`, {
      token: client.account.token,
      json: { edit_mode: "ask" },
    });
    const asks = script({
      text: "I look, and ask.",
      tools: [call("list_dir", { dir_path: "." }), call("bash_exec", { command: "true" })],
    });
    const taskId = (await client.start(asks, { chat_id: chat.id })).task_id;
    await client.event(taskId, "approval_required");
    await client.cancel(taskId);
    const { status, steps, complete } = await leftOf(taskId);
    expect(status).toMatchObject({ response: "I look, and ask.", iterations: 1, tool_calls: 1 });
    expect(steps).toMatchObject([{ tool_calls: [{ name: "list_dir", result: { success: true } }] }]);
    expect(Object(complete?.["usage"]).output_tokens).toBeGreaterThan(0);
  });
});

describe.concurrent("revoking a key", () => {
  it("ends what it started, running or waiting, and its callers are strangers at once", async () => {
    const mate = await newTaskClient(service, { account: client.account, projectId: client.projectId });
    const running = await mate.start(IN_A_MODEL_CALL);
    const waiting = await mate.start("Hello", { chat_id: running.chat_id });
    const done = await mate.start("Hello");
    await mate.event(running.task_id, "text_delta");
    await mate.end(done.task_id);
    const mine = await client.start(IN_A_MODEL_CALL);
    await client.event(mine.task_id, "text_delta");

    expect((await revoke("/api/external-api-keys", mate.keyId)).status).toBe(200);
    await expect(mate.status(running.task_id)).rejects.toThrow("401");
    expect((await mate.invoke("Hello")).status).toBe(401);

    // The same person's other key sees them.
    const endings = await Promise.all([client.end(running.task_id), client.end(waiting.task_id)]);
    for (const events of endings) {
      expect(events.slice(-3).map(({ body }) => body)).toMatchObject([
        { type: "error", error: expect.stringContaining("revoked") },
        { type: "complete", data: { success: false, completion_reason: "key_revoked" } },
        { type: "done", status: "failed", error: expect.stringContaining("revoked") },
      ]);
    }
    const statuses = await Promise.all(
      [running, waiting, done].map(({ task_id: taskId }) => client.status(taskId)),
    );
    expect(statuses).toMatchObject([
      { status: "failed", completion_reason: "key_revoked", error: expect.stringContaining("revoked") },
      { status: "failed", completion_reason: "key_revoked", iterations: 0 },
      { status: "completed" },
    ]);
    expect((await client.status(mine.task_id)).status).toBe("running");
    await client.cancel(mine.task_id);
    await client.end(mine.task_id);
  });

  it("closes a stream that was opened with it no later than the task ends", async () => {
    const mate = await newTaskClient(service, { account: client.account, projectId: client.projectId });
    const { task_id: taskId } = await mate.start(IN_A_MODEL_CALL);
    const reading = mate.end(taskId);
    await mate.event(taskId, "text_delta");
    await revoke("/api/external/keys", mate.keyId);
    expect((await reading).at(-1)?.body).toMatchObject({ type: "done", status: "failed" });
  });

  it("works once: the second time it is refused with a sentence", async () => {
    const mate = await newTaskClient(service, { account: client.account, projectId: client.projectId });
    expect(await revoke("/api/external/keys", mate.keyId)).toMatchObject({
      status: 200,
      body: { status: "deactivated", key_id: mate.keyId },
    });
    expect(await revoke("/api/external/keys", mate.keyId)).toMatchObject({
      status: 400,
      body: { detail: expect.any(String) },
    });
  });

  it("does not end a task that its caller had cancelled before in another way", async () => {
    const mate = await newTaskClient(service, { account: client.account, projectId: client.projectId });
    const { task_id: taskId } = await mate.start(IN_A_MODEL_CALL);
    await mate.event(taskId, "text_delta");
    await mate.cancel(taskId);
    await revoke("/api/external/keys", mate.keyId);
    await client.end(taskId);
    await vi.waitFor(async () => expect((await client.status(taskId)).status).toBe("cancelled"));
  });
});
