import { describe, expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";

const service = sharedService();
const client = await newTaskClient(service);

/** An executor pings every 3 s and then learns that it must stop. Without that, a silent model is given up after 60 s. */
const SOON_MS = 55_000;

const IN_A_MODEL_CALL = script({ text: "I am thinking about it", chunks: 3, delay_ms: 600_000 });

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
    last: events.slice(-2).map(({ body: last }) => last),
  };
}

const cancelled = [
  { type: "complete", data: { success: false, completion_reason: "cancelled" } },
  { type: "done", status: "cancelled" },
];
/** What a turn keeps that was stopped in the middle of the model's answer. */
async function expectHalfAnswer(taskId: string) {
  const { status, steps, complete, ended } = await leftOf(taskId);
  expect(status).toMatchObject({ response: expect.stringMatching(/^I am/u), iterations: 1, tool_calls: 0 });
  expect(steps).toMatchObject([{ iteration: 1, response_text: status.response, is_complete: false }]);
  expect(ended).toHaveLength(1);
  expect(complete).toMatchObject({
    final_response: status.response,
    iterations: 1,
    usage: {
      input_tokens: expect.any(Number),
      output_tokens: expect.toSatisfy((tokens: number) => tokens > 0),
    },
  });
}

describe.concurrent("cancelling a task", () => {
  it("in the middle of a model's answer ends it soon, keeps what it said and used, and says the same twice", async () => {
    const { task_id: taskId } = await client.start(IN_A_MODEL_CALL);
    await client.event(taskId, "text_delta");
    const askedAt = Date.now();
    const answer = {
      status: 200,
      body: {
        task_id: taskId,
        status: "cancelled",
        cancel_requested: true,
        cancelled_at: expect.any(String),
      },
    };
    const answers = await Promise.all([client.cancel(taskId), client.cancel(taskId)]);
    expect(answers.map(({ body }) => body.status)).toEqual(["cancelled", "cancelled"]);
    expect(answers.find(({ body }) => body.cancel_requested)).toMatchObject(answer);
    expect((await leftOf(taskId)).last).toMatchObject(cancelled);
    expect(Date.now() - askedAt).toBeLessThan(SOON_MS);
    expect(await client.status(taskId)).toMatchObject({
      status: "cancelled",
      completion_reason: "cancelled",
      error: null,
      completed_at: expect.any(String),
    });
    await expectHalfAnswer(taskId);
    expect((await client.cancel(taskId)).body).toMatchObject({ status: "cancelled", reason: "terminal" });
  });

  it("in a tool that waits ends it soon, keeps the calls that had begun, and begins no other", async () => {
    const sleeping = { command: "sleep 600", timeout: 600 };
    const tools = [{ command: "echo one" }, sleeping, { command: "echo three" }];
    const message = script(
      { text: "Two commands.", tools: tools.map((args) => call("bash_exec", args)) },
      { text: "never" },
    );
    const { task_id: taskId } = await client.start(message);
    for await (const { type, body } of client.events(taskId)) {
      if (type === "tool_start" && body.args?.["command"] === sleeping.command) break;
    }
    await client.cancel(taskId);
    const { status, steps, complete, ended, last } = await leftOf(taskId);
    expect(last).toMatchObject(cancelled);
    expect(status).toMatchObject({ response: "Two commands.", iterations: 1, tool_calls: 2 });
    expect(steps).toMatchObject([
      {
        tool_calls: [
          { parameters: tools[0], result: { success: true } },
          { parameters: sleeping, result: { success: false } },
        ],
      },
    ]);
    expect(ended).toHaveLength(1);
    expect(complete).toMatchObject({ tool_calls_made: 2 });
  });
});

it("revoking a key ends what it started and had not cancelled, running or waiting, and its callers are strangers at once", async () => {
  const mate = await newTaskClient(service, { account: client.account, projectId: client.projectId });
  const running = await mate.start(IN_A_MODEL_CALL);
  const waiting = await mate.start("Hello", { chat_id: running.chat_id });
  const [done, dropped] = [await mate.start("Hello"), await mate.start(IN_A_MODEL_CALL)];
  const { ended } = await mate.watch(running.task_id);
  await mate.event(running.task_id, "text_delta");
  await mate.event(dropped.task_id, "text_delta");
  await mate.end(done.task_id);
  const mine = await client.start(IN_A_MODEL_CALL);
  await client.event(mine.task_id, "text_delta");
  await mate.cancel(dropped.task_id);

  const path = `/api/external-api-keys/${mate.keyId}`;
  expect((await service.call("DELETE", path, { token: client.account.token })).status).toBe(200);
  await expect(mate.status(running.task_id)).rejects.toThrow("401");
  expect((await mate.invoke("Hello")).status).toBe(401);

  // The same person's other key sees them; the stream that was opened with the revoked one ends as the task does.
  const endings = [await client.end(running.task_id), await client.end(waiting.task_id), await ended];
  for (const events of endings) {
    expect(events.slice(-3).map(({ body }) => body)).toMatchObject([
      { type: "error", error: expect.stringContaining("revoked") },
      { type: "complete", data: { success: false, completion_reason: "key_revoked" } },
      { type: "done", status: "failed", error: expect.stringContaining("revoked") },
    ]);
  }
  await client.end(dropped.task_id);
  const statuses = await Promise.all(
    [running, waiting, done, dropped].map(({ task_id: taskId }) => client.status(taskId)),
  );
  expect(statuses).toMatchObject([
    { status: "failed", completion_reason: "key_revoked", error: expect.stringContaining("revoked") },
    { status: "failed", completion_reason: "key_revoked", iterations: 0 },
    { status: "completed" },
    { status: "cancelled" },
  ]);
  await expectHalfAnswer(running.task_id);
  expect((await client.status(mine.task_id)).status).toBe("running");
  await client.cancel(mine.task_id);
  await client.end(mine.task_id);
});
