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
  const message = (id: string, fields: object) => ({
    id,
    chat_id: chat,
    created_at: "2026-01-01T00:00:00Z",
    ...fields,
  });
  const metadata = { task_id: crypto.randomUUID(), completion_reason: "task_complete", steps };
  const messages = [
    message("m1", { role: "user", content: "Do all of it.", message_metadata: null }),
    message("m2", { role: "assistant", content: "All is done.", message_metadata: metadata }),
  ];
  await page.route(`**/api/chat/session/${chat}/messages*`, (route) => route.fulfill({ json: messages }));
}
