import { eq } from "drizzle-orm";
import { describe, expect, inject, it } from "vitest";
import { chats } from "#src/db/schema/index.ts";
import { claimTask, finishTask, startTask } from "#src/domain/agent-work/tasks/index.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import type { Services } from "#src/services.ts";
import { fileDatabase } from "#test/support/database.ts";
import { messageToAgent, startDeps } from "#test/support/message-to-agent.ts";
import { ChatWorld, newChat } from "./support/chat-world.ts";
import { completed, idle } from "./support/interleaved-service.ts";
import { runs } from "#test/support/soak.ts";
import { fieldsOf } from "#test/support/fields.ts";
import { partOf } from "#test/support/part-of.ts";

const database = await fileDatabase();

describe("the turns of a chat", () => {
  // Many more in `npm run soak`.
  it.each(Array.from({ length: runs(5) }, (_, index) => inject("fuzzSeed") + index))(
    "are lost, doubled and out of order in no interleaving (seed %i)",
    async (seed) => {
      const world = new ChatWorld(database.db, await newChat(database.db), seed);
      await world.run();
      const { acknowledged, begun, ...outcome } = await world.outcome();
      const sent = acknowledged.length;
      expect(outcome).toEqual({
        problems: [],
        stored: acknowledged,
        unfinished: [],
        numbers: Array.from({ length: sent }, (_, index) => index + 1),
        lastSeq: sent,
        unfinishedTasks: [],
        messages: 2 * sent,
        notClosed: [],
      });
      expect(begun).toEqual(begun.toSorted((a, b) => a - b));
    },
  );

  it("are passed on to one after the other by statements that really run at once", async () => {
    const chat = await newChat(database.db);
    const SENT = 15;
    let working = 0;
    const order: number[] = [];
    const failures: unknown[] = [];
    const executors: Promise<void>[] = [];
    /** A chat's tasks are sent and ended at once, over several connections. */
    const execute = async (taskId: string) => {
      working += 1;
      expect(working).toBe(1);
      const { claimed, current } = await claimTask(database.db, taskId, 1);
      expect(claimed).toBe(true);
      order.push(current?.task.seq ?? 0);
      working -= 1;
      await finishTask(deps, idle(taskId, 1), completed(taskId));
    };
    const publish = async ({ payload }: QueueMessage) => {
      executors.push(
        execute(String(fieldsOf(payload)["taskId"])).catch((error: unknown) => void failures.push(error)),
      );
    };
    const taskLogs = { close: async () => {} };
    const deps = partOf<Services>({ ...startDeps(database.db), queue: { publish }, taskLogs });
    const { chatId, userId, projectId } = chat;
    const message = messageToAgent({ userId, projectId, chat: { kind: "named", id: chatId } });
    await Promise.all(Array.from({ length: SENT }, () => startTask(deps, message)));
    for (const executor of executors) await executor;
    expect(failures).toEqual([]);
    expect(order).toEqual(Array.from({ length: SENT }, (_, index) => index + 1));
    const [left] = await database.db.select().from(chats).where(eq(chats.id, chatId));
    expect(left).toMatchObject({ unfinishedTasks: [], lastSeq: SENT });
  });
});
