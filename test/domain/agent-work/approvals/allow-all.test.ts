import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { approvals, chats } from "#src/db/schema/index.ts";
import { answerApprovalRow } from "#src/domain/agent-work/approvals/queries.ts";
import { newId } from "#src/lib/ids.ts";
import { openDatabase } from "#test/support/database.ts";
import { newPerson } from "#test/support/people.ts";
import { storeTask } from "#test/support/stored-task.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

it("allowing a tool for a chat answers the other questions about this tool, and none about another", async () => {
  const { db } = database;
  const { user } = await newPerson(db);
  const { taskId, chatId } = await storeTask(db, user, { status: "running" });
  const question = (tool: string, callId: string) => ({
    id: newId(),
    taskId,
    iteration: 1,
    callId,
    tool,
    parameters: {},
    expiresAt: sql`now() + interval '1 hour'`,
  });
  const asked = question("write_file", "first");
  await db
    .insert(approvals)
    .values([asked, question("write_file", "second"), question("bash_exec", "of another tool")]);

  const answer = { id: asked.id, response: "allow_all", userId: user.id } as const;
  expect(await answerApprovalRow(db, answer)).toBe(true);

  const answered = await db
    .select({ callId: approvals.callId, response: approvals.response })
    .from(approvals)
    .where(eq(approvals.taskId, taskId))
    .orderBy(approvals.callId);
  expect(answered).toEqual([
    { callId: "first", response: "allow_all" },
    { callId: "of another tool", response: null },
    { callId: "second", response: "allow_all" },
  ]);
  const [chat] = await db
    .select({ allowedTools: chats.allowedTools })
    .from(chats)
    .where(eq(chats.id, chatId));
  expect(chat).toEqual({ allowedTools: ["write_file"] });
});
