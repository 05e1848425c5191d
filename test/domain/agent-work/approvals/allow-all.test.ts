import { eq, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { approvals, chats } from "#src/db/schema/index.ts";
import { answerApprovalRow } from "#src/domain/agent-work/approvals/queries.ts";
import { newId } from "#src/lib/ids.ts";
import { newColleague } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { storeTask } from "#test/support/stored-task.ts";

const { db } = await fileDatabase();

/** Asks for these calls of one task, and allows the tool of the first for the chat. Returns which calls that allows, and the chat's tools. */
async function allowFirst(...calls: { callId: string; tool: string; allowance?: string }[]) {
  const { id: userId, personalTeamId } = await newColleague(db);
  const { taskId, chatId } = await storeTask(
    db,
    { id: userId, defaultTeamId: personalTeamId },
    { status: "running" },
  );
  const expiresAt = sql`now() + interval '1 hour'`;
  const asked = calls.map((call) => ({
    ...call,
    id: newId(),
    taskId,
    iteration: 1,
    parameters: {},
    expiresAt,
  }));
  await db.insert(approvals).values(asked);
  const answer = { response: "allow_all", reason: null, encryptedAnswers: null, userId } as const;
  expect(await answerApprovalRow(db, { id: asked[0]?.id ?? "", ...answer })).toBe(true);
  const stored = await db
    .select()
    .from(approvals)
    .where(eq(approvals.taskId, taskId))
    .orderBy(approvals.callId);
  const [chat] = await db.select().from(chats).where(eq(chats.id, chatId));
  const answered = stored.filter(({ response }) => response === "allow_all");
  return { calls: answered.map(({ callId }) => callId), tools: chat?.allowedTools };
}

it("allowing a tool for a chat answers the other questions about this tool, and none about another", async () => {
  const tool = "write_file";
  const other = { callId: "of another tool", tool: "bash_exec" };
  expect(await allowFirst({ callId: "first", tool }, { callId: "second", tool }, other)).toEqual({
    calls: ["first", "second"],
    tools: [tool],
  });
});

it("allowing a tool as it is described allows and answers no other one of its name", async () => {
  const tool = "mcp__tracker__write";
  const allowed = await allowFirst(
    { callId: "first", tool, allowance: "write@1" },
    { callId: "second", tool, allowance: "write@1" },
    { callId: "changed", tool, allowance: "write@2" },
    { callId: "named", tool },
  );
  expect(allowed).toEqual({ calls: ["first", "second"], tools: ["write@1"] });
});
