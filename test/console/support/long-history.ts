import type { Page } from "@playwright/test";

const CALLS_OF_TURN = 20;

/** Gives a page a history with so many tool calls, all of one task, as the service would send it. */
export async function serveLongHistory(page: Page, chat: string, calls: number): Promise<void> {
  const turns = Math.ceil(calls / CALLS_OF_TURN);
  const steps = Array.from({ length: turns }, (_, turn) => ({
    iteration: turn + 1,
    thought: null,
    response_text: `Step ${turn + 1} of the work.`,
    is_complete: turn === turns - 1,
    timestamp: "2026-01-01T00:00:00Z",
    tool_calls: Array.from({ length: CALLS_OF_TURN }, (__, index) => ({
      name: "bash_exec",
      parameters: { command: `echo ${turn * CALLS_OF_TURN + index}` },
      result: { success: true, stdout: String(index) },
    })),
  }));
  const metadata = { task_id: crypto.randomUUID(), completion_reason: "task_complete", steps };
  await serve(page, chat, [
    { role: "user", content: "Do all of it.", message_metadata: null },
    { role: "assistant", content: "All is done.", message_metadata: metadata },
  ]);
}

/** Gives a page a history of so many messages, every second one an answer with a list, code and a table. */
export async function serveManyMessages(page: Page, chat: string, count: number): Promise<void> {
  const messages = Array.from({ length: count / 2 }, (_, turn) => {
    const metadata = { task_id: crypto.randomUUID(), completion_reason: "task_complete", steps: [] };
    return [
      { role: "user", content: `Question ${turn + 1}`, message_metadata: null },
      { role: "assistant", content: `Answer ${turn + 1}\n\n${ANSWER}`, message_metadata: metadata },
    ];
  });
  await serve(page, chat, messages.flat());
}

const ANSWER = [
  "- one\n- two, with `code` and **more**",
  "```ts\nexport const sum = (a: number, b: number): number => a + b;\n```",
  "| Name | Size |\n| --- | --- |\n| a.ts | 120 |\n| b.ts | 7 |",
].join("\n\n");

function serve(page: Page, chat: string, messages: readonly object[]) {
  const json = messages.map((message, index) => ({
    id: `m${index + 1}`,
    chat_id: chat,
    created_at: "2026-01-01T00:00:00Z",
    ...message,
  }));
  return page.route(`**/api/chat/session/${chat}/messages*`, (route) => route.fulfill({ json }));
}
