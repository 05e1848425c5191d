import { eq } from "drizzle-orm";
import { afterAll, describe, expect, inject, it } from "vitest";
import { chats } from "#src/db/schema/index.ts";
import { claimTask, finishTask, startTask } from "#src/domain/agent-work/tasks/index.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import type { Services } from "#src/services.ts";
import { openDatabase } from "#test/support/database.ts";
import { messageToAgent, NO_AGENT_LIMITS } from "#test/support/message-to-agent.ts";
import { ChatWorld, completed, idle, newChat } from "./support/chat-world.ts";
import { runs } from "#test/support/soak.ts";
import { fieldsOf } from "#test/support/fields.ts";
import { partOf } from "#test/support/part-of.ts";

/** Interleavings that are tried; many more in `npm run soak`. */
const RUNS = runs(10);

const database = await openDatabase();
afterAll(() => database.close());

describe("the turns of a chat", () => {
  const first = inject("fuzzSeed");
  it.each(Array.from({ length: RUNS }, (_, index) => first + index))(
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
    const SENT = 30;
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
    const deps = partOf<Services>({
      db: database.db,
      config: { DEFAULT_MODEL: "demo", ...NO_AGENT_LIMITS },
      modelSettings: { platformModels: ["demo"] },
      queue: { publish },
      taskLogs: { close: async () => {} },
    });
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
