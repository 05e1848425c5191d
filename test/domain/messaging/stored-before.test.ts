import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { messages, tasks } from "#src/db/schema/index.ts";
import { followUpTask } from "#src/domain/agent-work/tasks/index.ts";
import { replyToTask } from "#src/domain/messaging/deliveries/index.ts";
import { sessionOfTask } from "#src/domain/messaging/inbox/index.ts";
import { FOLLOW_UPS } from "#src/follow-ups.ts";
import { NO_LAUNCHES } from "#test/support/message-to-agent.ts";
import { fileDatabase } from "#test/support/database.ts";
import { ListeningPlatform, PlatformRows } from "./support/people-of-platforms.ts";

const database = await fileDatabase();
const rows = new PlatformRows(database.db);

/** A task that has ended, as the version before stored it: its source is in the metadata of its message. */
async function endedTask(origin: string, metadataOf: (sessionId: string) => Record<string, unknown>) {
  const owner = await rows.person();
  const channel = await rows.channel(owner, { projectId: owner.projectId });
  await rows.identity(owner);
  const sessionId = await rows.session(owner, channel, { chatId: "-1", chatType: "group" });
  const { id } = await rows.task(owner);
  const ended = { status: "completed", response: "Done", completedAt: new Date() } as const;
  await database.db
    .update(tasks)
    .set({ ...ended, origin, source: null })
    .where(eq(tasks.id, id));
  await database.db
    .update(messages)
    .set({ messageMetadata: metadataOf(sessionId) })
    .where(eq(messages.taskId, id));
  const platform = new ListeningPlatform();
  const deps = { ...platform.deps(database.db), followUps: FOLLOW_UPS, taskLogs: NO_LAUNCHES };
  await followUpTask(deps, id);
  const published = platform.published.map((message) => message.function);
  const reply = await replyToTask(deps, id);
  const [asked] = await sessionOfTask(database.db, { taskId: id });
  return { sessionId, published, reply, asked, sent: platform.sent };
}

it("a platform's task of the version before gets its reply, and asks, where it came from", async () => {
  const { sessionId, published, asked, sent } = await endedTask("telegram", (id) => ({
    channel: { session_id: id, platform: "telegram", message_id: "55", reply_to: "55", reply_target: "8" },
  }));
  expect(published).toEqual(["send-reply"]);
  expect(sent).toMatchObject([{ place: { chatId: "-1" }, replyTo: "55" }]);
  expect(asked).toMatchObject({ session: { id: sessionId }, messageId: "55", replyTo: "55" });
});

it("a schedule's task of the version before ends its run, asks its owner, and gets no reply", async () => {
  const { sessionId, published, reply, asked } = await endedTask("schedule", (id) => ({
    schedule: { id: crypto.randomUUID(), run_id: crypto.randomUUID(), session_id: id },
  }));
  expect(published).toEqual(["advance-run"]);
  expect(reply).toBeUndefined();
  expect(asked).toMatchObject({ session: { id: sessionId }, messageId: null });
});
