import { and, eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { taskTurns } from "#src/db/schema/index.ts";
import { newChatClient } from "#test/support/chat-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { call, script } from "#test/support/task-client.ts";

const service = sharedService();
const LONG = "0123456789".repeat(350);

/** A result that no tool returns in this form, with a long list and a long object. */
const ENTRIES = Array.from({ length: 500 }, (_, n) => ({ name: `file-${n}` }));

interface Call {
  name: string;
  parameters: Record<string, unknown>;
  result: Record<string, unknown>;
  truncated?: true;
  parameters_characters?: number;
  result_characters?: number;
}
interface Step {
  iteration: number;
  tool_calls: Call[];
}
interface MessageView {
  role: string;
  message_metadata: { task_id: string; steps: Step[] } | null;
}

const messagesAt = (path: string) => client.call<MessageView[]>("GET", path);
const stepsIn = (messages: MessageView[]) =>
  messages.flatMap(({ message_metadata: metadata }) => metadata?.steps ?? []);

const path = (query: string) => `/api/chat/session/${chatId}/messages${query}`;

const client = await newChatClient(service);
const message = script(
  { tools: [call("write_file", { path: "long.txt", content: LONG })] },
  { tools: [call("read_file", { path: "long.txt" }), call("bash_exec", { command: "echo short" })] },
  { tools: [call("bash_exec", { command: "true" })] },
  { text: "Done." },
);
const stream = await client.send(message, { edit_mode: "allow" });
await stream.text();
const { taskId, chatId } = stream;
const result = JSON.stringify({ success: true, entries: ENTRIES, tree: { ENTRIES }, few: [1, 2] });
await databaseOf(service)
  .update(taskTurns)
  .set({ turnData: sql`jsonb_set(step_data, '{tool_calls,0,result}', ${result}::jsonb)` })
  .where(and(eq(taskTurns.taskId, taskId), eq(taskTurns.turnIndex, 3)));

describe("a page of a chat with long results", () => {
  it("is whole unless short results are asked for", async () => {
    const { body } = await messagesAt(path(""));
    const steps = stepsIn(body);
    expect(steps[0]?.tool_calls[0]).toMatchObject({ parameters: { content: LONG } });
    expect(JSON.stringify(body)).not.toContain("_characters");
    expect((await messagesAt(path("?results=whole"))).body).toEqual(body);
    expect((await messagesAt(path("?results=none"))).status).toBe(422);
    const history = `/api/chat/${client.projectId}/history?chat_id=${chatId}`;
    expect((await messagesAt(history)).body).toEqual(body);
    const short = await messagesAt(path("?results=short"));
    expect((await messagesAt(`${history}&results=short`)).body).toEqual(short.body);
  });

  it("is short on request: what is long is cut and says so, and the rest is as it was", async () => {
    const whole = stepsIn((await messagesAt(path(""))).body);
    const short = await messagesAt(path("?results=short"));
    expect(short.text.length).toBeLessThan(20_000);
    const steps = stepsIn(short.body);
    const [written] = steps[0]?.tool_calls ?? [];
    expect(written).toMatchObject({
      truncated: true,
      parameters: { path: "long.txt" },
      result: { success: true },
    });
    expect(written?.parameters["content"]).toBe(LONG.slice(0, 2_000));
    expect(written?.parameters_characters).toBeGreaterThan(LONG.length);
    const [file, echo] = steps[1]?.tool_calls ?? [];
    expect(file).toMatchObject({ truncated: true, result: { success: true } });
    expect(file?.result_characters).toBeGreaterThan(LONG.length);
    expect(echo).toEqual(whole[1]?.tool_calls[1]);
    expect(steps.at(-1)).toEqual(whole.at(-1));
    const listed = steps[2]?.tool_calls[0];
    expect(listed).toMatchObject({ truncated: true, result: { success: true, tree: {}, few: [1, 2] } });
    const kept = [listed?.result["entries"]].flat();
    expect(kept).toEqual(ENTRIES.slice(0, kept.length));
    expect(kept.length).toBeGreaterThan(50);
    expect(JSON.stringify(listed?.result).length).toBeLessThan(2_500);
  });
});

it("a step is read whole by its number", async () => {
  const whole = stepsIn((await messagesAt(`/api/chat/session/${chatId}/messages`)).body);
  for (const [index, step] of whole.entries()) {
    const { body } = await client.call<{ step_index: number; step_data: Step }>(
      "GET",
      `/api/chat/agent/steps/${taskId}/${step.iteration}`,
    );
    expect(body).toMatchObject({ step_index: index + 1, step_data: step });
  }
  const steps = `/api/chat/agent/steps/${taskId}`;
  expect((await client.call("GET", `${steps}/99`)).status).toBe(404);
  const short = await client.call<{ items: { step_data: Step }[] }>("GET", `${steps}?results=short`);
  expect(short.body.items.map(({ step_data }) => step_data.tool_calls[0]?.truncated)).toEqual([
    true,
    true,
    true,
    undefined,
  ]);
});
