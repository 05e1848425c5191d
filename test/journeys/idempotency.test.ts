import { expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { call, newTaskClient, script } from "#test/support/task-client.ts";

const service = sharedService();
const client = await newTaskClient(service);

const invoke = (key: string, message: string, fields = {}, by = client) =>
  by.invoke(message, fields, { "idempotency-key": key });

it("returns the first response to ten repetitions at once and to one after the end, and runs the task once", async () => {
  const own = await newTaskClient(service);
  const message = script(
    { tools: [call("bash_exec", { command: "echo ran >> marks.txt" })] },
    { text: "Done." },
  );
  const answers = await Promise.all(Array.from({ length: 10 }, () => invoke("again", message, {}, own)));
  const [first] = answers;
  await own.end(first?.body.task_id ?? "");
  answers.push(await invoke("again", message, {}, own));
  expect(answers.map(({ status, text }) => [status, text])).toEqual(answers.map(() => [200, first?.text]));
  const { token } = own.account;
  const file = await service.call("GET", `/api/projects/${own.projectId}/files/marks.txt`, { token });
  expect(file.body).toMatchObject({ content: "ran\n" });
  const tasks = await service.call("GET", "/api/v1/agents/tasks", { token: own.key });
  expect(tasks.body).toMatchObject({ total: 1 });
});

it("refuses the same key with another message, chat or address for the callback, and takes spaces and either name of a field as the same", async () => {
  const webhook = "https://example.com/hook";
  const first = await invoke("same", "Hello", { webhook_url: webhook });
  const second = await invoke("same", "  Hello \n", { webhook_callback_url: webhook, agent_id: null });
  expect(second).toMatchObject({ status: 200, body: first.body });
  for (const fields of [
    { message: "Something else", webhook_url: webhook },
    { chat_id: first.body.chat_id, webhook_url: webhook },
    { webhook_url: `${webhook}s` },
  ]) {
    expect(await invoke("same", "Hello", fields)).toMatchObject({
      status: 422,
      body: { detail: "This Idempotency-Key was used with a different request" },
    });
  }
});

it("keeps the keys of different callers apart, and uses up none on a request that is refused", async () => {
  const other = await newTaskClient(service, { account: client.account });
  expect((await invoke("shared", "Hello", { project_id: crypto.randomUUID() })).status).toBe(404);
  expect((await invoke("shared", "  ")).status).toBe(422);
  const mine = await invoke("shared", "Hello");
  const theirs = await invoke("shared", "Hello", {}, other);
  expect([mine.status, theirs.status]).toEqual([200, 200]);
  expect(theirs.body.task_id).not.toBe(mine.body.task_id);
});

it("takes a key of 1 to 255 visible ASCII characters, and no other", async () => {
  expect((await invoke("k".repeat(255), "Hello")).status).toBe(200);
  for (const key of ["", "x".repeat(256), "a b", "cl\u00e9"]) {
    expect(await invoke(key, "Hello")).toMatchObject({ status: 422, body: { detail: expect.any(String) } });
  }
});
