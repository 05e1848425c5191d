import { beforeAll, expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script, type TaskClient } from "#test/support/task-client.ts";

const service = sharedService();
let client: TaskClient;
beforeAll(async () => {
  client = await newTaskClient(service);
});

/** A task that leaves a line in a file for each time it runs. */
const leaveMark = (file: string) =>
  script({ tools: [call("bash_exec", { command: `echo ran >> ${file}` })] }, { text: "Done." });
const marks = async (file: string) => {
  const path = `/api/projects/${client.projectId}/files/${file}`;
  return (await service.call<{ content: string }>("GET", path, { token: client.account.token })).body.content;
};
const invoke = (key: string, message: string, fields = {}) =>
  client.invoke(message, fields, { "idempotency-key": key });
const taskCount = async () =>
  (await service.call<{ total: number }>("GET", "/api/v1/agents/tasks", { token: client.key })).body.total;

it("returns the first response to a repetition, and runs the task once", async () => {
  const before = await taskCount();
  const first = await invoke("again-1", leaveMark("again.txt"));
  expect(first.status).toBe(200);
  const second = await invoke("again-1", leaveMark("again.txt"));
  expect(second).toMatchObject({ status: 200, body: first.body });
  await client.end(first.body.task_id);
  const afterTheEnd = await invoke("again-1", leaveMark("again.txt"));
  expect(afterTheEnd).toMatchObject({ status: 200, body: first.body });
  expect(await marks("again.txt")).toBe("ran\n");
  expect(await taskCount()).toBe(before + 1);
});

it("returns the first response to twenty repetitions at once", async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => invoke("at-once", leaveMark("at-once.txt"))),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  await client.end(answers[0]?.body.task_id ?? "");
  expect(await marks("at-once.txt")).toBe("ran\n");
});

it.each([
  ["message", { message: "Something else" }],
  ["chat", { chat_id: "known" }],
  ["address for the callback", { webhook_url: "https://example.com/hook" }],
])("refuses the same key with another %s", async (what, fields) => {
  const first = await invoke(`other-${what.length}`, "Hello");
  const changed = "chat_id" in fields ? { chat_id: first.body.chat_id } : fields;
  expect(await invoke(`other-${what.length}`, "Hello", changed)).toMatchObject({
    status: 422,
    body: { detail: "This Idempotency-Key was used with a different request" },
  });
});

it("takes spaces around a message and either name of a field as the same request", async () => {
  const webhook = "https://example.com/hook";
  const first = await invoke("same", "Hello", { webhook_url: webhook });
  const second = await invoke("same", "  Hello \n", { webhook_callback_url: webhook, agent_id: null });
  expect(second).toMatchObject({ status: 200, body: first.body });
});

it("keeps the keys of different callers apart", async () => {
  const other = await newTaskClient(service, { account: client.account });
  const [mine, theirs] = [
    await invoke("shared", "Hello"),
    await other.invoke("Hello", {}, { "idempotency-key": "shared" }),
  ];
  expect(theirs.status).toBe(200);
  expect(theirs.body.task_id).not.toBe(mine.body.task_id);
});

it("does not use up a key on a request that is refused", async () => {
  expect((await invoke("refused", "Hello", { project_id: crypto.randomUUID() })).status).toBe(404);
  expect((await invoke("refused", "  ")).status).toBe(422);
  expect((await invoke("refused", "Hello")).status).toBe(200);
});

it.each([
  ["empty", ""],
  ["too long", "x".repeat(256)],
  ["of two words", "a b"],
  ["not of ASCII", "cl\u00e9"],
])("refuses a key that is %s", async (_, key) => {
  expect(await invoke(key, "Hello")).toMatchObject({ status: 422, body: { detail: expect.any(String) } });
});

it("takes a key of 255 characters", async () => {
  const [first, second] = [await invoke("k".repeat(255), "Hello"), await invoke("k".repeat(255), "Hello")];
  expect(first.status).toBe(200);
  expect(second.body).toEqual(first.body);
});
