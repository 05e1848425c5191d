import { afterAll, expect, it } from "vitest";
import { idsOf, range } from "#test/support/events.ts";
import { startReceiver } from "#test/support/receiver.ts";
import { startService } from "#test/support/service.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";

/** Every message twice, out of order, failing first; and steps so short that a task takes several of them. */
const service = await startService(
  { OUTBOUND_ALLOW_PRIVATE: "true", STEP_MAX_APPENDS: "10", TASK_STALL_SECONDS: "60" },
  { faults: { duplicate: true, shuffle: true, failFirst: true } },
);
const receiver = await startReceiver();
const client = await newTaskClient(service);
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const TURNS = 5;
/** Each turn leaves a line in a file. */
const leaveMarks = (task: number) =>
  script(
    ...range(1, TURNS).map((turn) => ({
      tools: [call("bash_exec", { command: `echo ${task}.${turn} >> marks` }), call("get_project_info", {})],
    })),
    { text: "Done." },
  );

it("the tasks of a chat run in their order, every turn and every tool once, and call back under one id", async () => {
  const first = await client.start(leaveMarks(1), { webhook_url: `${receiver.url}/1` });
  const fields = { chat_id: first.chat_id, webhook_url: `${receiver.url}/2` };
  const tasks = [first, await client.start(leaveMarks(2), fields)];
  const turn = ["tool_start", "tool_result", "tool_start", "tool_result", "agent_step"];
  for (const [index, { task_id: taskId }] of tasks.entries()) {
    const events = await client.end(taskId);
    expect(idsOf(events)).toEqual(range(1, events.length));
    expect(events.map(({ type }) => type)).toEqual([
      "task_started",
      ...range(1, TURNS).flatMap(() => turn),
      "text_delta",
      "agent_step",
      "complete",
      "done",
    ]);
    const counted = { status: "completed", iterations: TURNS + 1, tool_calls: 2 * TURNS };
    expect(await client.status(taskId)).toMatchObject(counted);
    await receiver.first(`/${index + 1}`);
    const ids = receiver.received(`/${index + 1}`).map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids)).toEqual(new Set([`task_${taskId}`]));
  }
  const path = `/api/projects/${client.projectId}/files/marks`;
  const { body } = await service.call<{ content: string }>("GET", path, client.account);
  const lines = [1, 2].flatMap((task) => range(1, TURNS).map((nth) => `${task}.${nth}\n`));
  expect(body.content).toBe(lines.join(""));
});

it("a task that is cancelled ends once", async () => {
  const { task_id: taskId } = await client.start(
    script({ text: "I am thinking", chunks: 2, delay_ms: 60_000 }),
  );
  await client.event(taskId, "text_delta");
  await client.cancel(taskId);
  const events = await client.end(taskId);
  expect(events.filter(({ type }) => type === "done")).toHaveLength(1);
  expect(await client.status(taskId)).toMatchObject({ status: "cancelled" });
});
