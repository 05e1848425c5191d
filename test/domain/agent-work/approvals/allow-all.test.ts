import { eq, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { approvals, chats } from "#src/db/schema/index.ts";
import { answerApprovalRow } from "#src/domain/agent-work/approvals/queries.ts";
import { newId } from "#src/lib/ids.ts";
import { newColleague } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { storeTask } from "#test/support/stored-task.ts";

const database = await fileDatabase();

it("allowing a tool for a chat answers the other questions about this tool, and none about another", async () => {
  const { db } = database;
  const { id: userId, personalTeamId } = await newColleague(db);
  const user = { id: userId, defaultTeamId: personalTeamId };
  const { taskId, chatId } = await storeTask(db, user, { status: "running" });
  const expiresAt = sql`now() + interval '1 hour'`;
  const question = (tool: string, callId: string) => {
    return { id: newId(), taskId, iteration: 1, callId, tool, parameters: {}, expiresAt };
  };
  const asked = question("write_file", "first");
  await db
    .insert(approvals)
    .values([asked, question("write_file", "second"), question("bash_exec", "of another tool")]);

  const answer = {
    id: asked.id,
    response: "allow_all",
    reason: null,
    encryptedAnswers: null,
    userId,
  } as const;
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
  const [chat] = await db.select().from(chats).where(eq(chats.id, chatId));
  expect(chat).toMatchObject({ allowedTools: ["write_file"] });
});

it("allowing a tool as it is described allows and answers no other one of its name", async () => {
  const { db } = database;
  const { id: userId, personalTeamId } = await newColleague(db);
  const { taskId, chatId } = await storeTask(
    db,
    { id: userId, defaultTeamId: personalTeamId },
    { status: "running" },
  );
  const expiresAt = sql`now() + interval '1 hour'`;
  const question = (callId: string, allowance: string | null) => {
    const call = { taskId, iteration: 1, callId, tool: "mcp__tracker__write", parameters: {} };
    return { ...call, id: newId(), allowance, expiresAt };
  };
  const asked = question("first", "write@1");
  await db
    .insert(approvals)
    .values([asked, question("second", "write@1"), question("changed", "write@2"), question("named", null)]);

  expect(
    await answerApprovalRow(db, {
      id: asked.id,
      response: "allow_all",
      reason: null,
      encryptedAnswers: null,
      userId,
    }),
  ).toBe(true);

  const answered = await db
    .select({ callId: approvals.callId })
    .from(approvals)
    .where(sql`${approvals.taskId} = ${taskId}::uuid AND ${approvals.response} = 'allow_all'`)
    .orderBy(approvals.callId);
  expect(answered.map(({ callId }) => callId)).toEqual(["first", "second"]);
  const [chat] = await db.select().from(chats).where(eq(chats.id, chatId));
  expect(chat).toMatchObject({ allowedTools: ["write@1"] });
});
