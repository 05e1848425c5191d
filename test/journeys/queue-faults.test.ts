import { afterAll, beforeAll, expect, it } from "vitest";
import { idsOf, range, type TaskEvent } from "#test/support/events.ts";
import { startReceiver, type Receiver } from "#test/support/receiver.ts";
import { startService, type TestService } from "#test/support/service.ts";
import { call, newTaskClient, script, type TaskClient } from "#test/support/task-client.ts";

/** Every message twice, out of order, failing first; and steps so short that a task takes several of them. */
let service: TestService;
let receiver: Receiver;
let client: TaskClient;
beforeAll(async () => {
  service = await startService(
    { OUTBOUND_ALLOW_PRIVATE: "true", STEP_MAX_APPENDS: "10", TASK_STALL_SECONDS: "15" },
    { faults: { duplicate: true, shuffle: true, failFirst: true } },
  );
  receiver = await startReceiver();
  client = await newTaskClient(service);
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const TURNS = 8;
/** Each turn leaves a line in a file. */
const leaveMarks = (file: string) =>
  script(
    ...range(1, TURNS).map((turn) => ({
      tools: [call("bash_exec", { command: `echo ${turn} >> ${file}` }), call("get_project_info", {})],
    })),
    { text: "Done." },
  );
const leaveMark = (index: number) =>
  script({ tools: [call("bash_exec", { command: `echo ${index} >> order.txt` })] }, { text: "Done." });
const readFile = async (file: string) => {
  const path = `/api/projects/${client.projectId}/files/${file}`;
  return (await service.call<{ content: string }>("GET", path, { token: client.account.token })).body.content;
};
const typesOf = (events: readonly TaskEvent[]) => events.map(({ type }) => type);

it("a task runs every turn and every tool once, and calls back under one id", async () => {
  const names = range(1, 5).map((index) => `marks-${index}`);
  const tasks = await Promise.all(
    names.map((name) => client.start(leaveMarks(name), { webhook_url: `${receiver.url}/${name}` })),
  );
  const endings = await Promise.all(tasks.map(({ task_id: taskId }) => client.end(taskId)));
  const turn = ["tool_start", "tool_result", "tool_start", "tool_result", "agent_step"];
  for (const [index, events] of endings.entries()) {
    expect(idsOf(events)).toEqual(range(1, events.length));
    expect(typesOf(events)).toEqual([
      "task_started",
      ...range(1, TURNS).flatMap(() => turn),
      "text_delta",
      "agent_step",
      "complete",
      "done",
    ]);
    const name = names[index] ?? "";
    expect(await readFile(name)).toBe(`${range(1, TURNS).join("\n")}\n`);
    expect(await client.status(tasks[index]?.task_id ?? "")).toMatchObject({
      status: "completed",
      iterations: TURNS + 1,
      tool_calls: 2 * TURNS,
    });
    await receiver.first(`/${name}`);
    const ids = receiver.received(`/${name}`).map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids)).toEqual(new Set([`task_${tasks[index]?.task_id ?? ""}`]));
  }
});

it("the tasks of a chat run one after the other, in their order", async () => {
  const first = await client.start(leaveMark(1));
  const tasks = [first];
  for (const index of range(2, 6))
    tasks.push(await client.start(leaveMark(index), { chat_id: first.chat_id }));
  const endings = await Promise.all(tasks.map(({ task_id: taskId }) => client.end(taskId)));
  for (const events of endings) expect(events.at(-1)?.body.status).toBe("completed");
  expect(await readFile("order.txt")).toBe("1\n2\n3\n4\n5\n6\n");
});

it("a task that is cancelled ends once", async () => {
  const { task_id: taskId } = await client.start(
    script({ text: "I am thinking", chunks: 2, delay_ms: 60_000 }),
  );
  await client.event(taskId, "text_delta");
  await client.cancel(taskId);
  const events = await client.end(taskId);
  expect(typesOf(events).filter((type) => type === "done")).toHaveLength(1);
  expect(await client.status(taskId)).toMatchObject({ status: "cancelled" });
});
