import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { channelConfigs, platformIdentities, tasks } from "#src/db/schema/index.ts";
import type { ChannelApi } from "#src/channels/channel.ts";
import { adapters } from "#src/channels/index.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import {
  lookDue,
  showProgress,
  type ProgressDeps,
  ProgressSoFar,
} from "#src/domain/messaging/progress/show-progress.ts";
import { eventFrame } from "#src/lib/server-sent-events.ts";
import { createLog } from "#src/platform/log/log.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { messageTo } from "#src/work/message.ts";
import { dm, environmentOf } from "#test/channels/environment.ts";
import { fileDatabase } from "#test/support/database.ts";
import { partOf } from "#test/support/part-of.ts";
import { newLinkedChannel, PlatformRows } from "./support/people-of-platforms.ts";

/** What a busy platform asks for. */
const BUSY_SECONDS = 7;

const database = await fileDatabase();

/** A platform that edits messages; whether it sends a text with the same nonce once differs. */
class Stage {
  readonly #shown = new Map<string, { nonce: string; text: string }>();
  readonly #sendsOnce: boolean;
  /** How the next call of the kind ends: refused for now, or with its answer lost. */
  readonly #failures = new Map<"send" | "remove", PlatformFailure>();
  #count = 0;

  constructor({ sendsOnce = false } = {}) {
    this.#sendsOnce = sendsOnce;
  }

  get shown(): string[] {
    return [...this.#shown.values()].map(({ text }) => text);
  }

  loseAnswer(): void {
    this.#failures.set("send", new PlatformFailure("unreachable", "No answer", { mayHaveHappened: true }));
  }

  beBusy(): void {
    this.#failures.set("remove", new PlatformFailure("busy", "Later", { retryAfterSeconds: BUSY_SECONDS }));
  }

  #meet(call: "send" | "remove"): void {
    const failure = this.#failures.get(call);
    this.#failures.delete(call);
    if (failure) throw failure;
  }

  api(): ChannelApi {
    return {
      sendsOnce: this.#sendsOnce,
      identify: async () => ({ botId: "1", botName: "bot" }),
      directPlace: async (chatId) => dm(chatId),
      send: async ({ text, nonce }) => {
        const [before] = [...this.#shown].find(([, message]) => message.nonce === nonce) ?? [];
        const messageId = (this.#sendsOnce ? before : undefined) ?? `m${(this.#count += 1)}`;
        this.#shown.set(messageId, { nonce, text: text.plain });
        this.#meet("send");
        return { messageId };
      },
      edit: async ({ messageId, text }) => {
        const nonce = this.#shown.get(messageId)?.nonce ?? "";
        this.#shown.set(messageId, { nonce, text: text.plain });
      },
      remove: async ({ messageId }) => {
        this.#meet("remove");
        this.#shown.delete(messageId);
      },
    };
  }
}

let published: QueueMessage[] = [];
let isQueueDown = false;
beforeEach(() => {
  published = [];
  isQueueDown = false;
});

const callNumber = (id: number) => ({
  id,
  type: "tool_start",
  data: JSON.stringify({ tool: "bash_exec", args: { command: `call ${id}` } }),
});

/** The log of a task that called so many tools. */
const logOf = (calls: number): ProgressDeps["taskLogs"] =>
  partOf({
    lastEvent: async () => ({ id: calls, isEnd: false }),
    stream: async (_: string, after: number) => {
      const ids = Array.from({ length: calls - after }, (_each, index) => after + index + 1);
      return new Response(ids.map((id) => eventFrame(callNumber(id))).join(""));
    },
  });

/** A running task of a person who waits at a platform, and the looks at it. */
async function newTask(stage = new Stage()) {
  const rows = new PlatformRows(database.db);
  const { channel, senderId, userId: id } = await newLinkedChannel(database.db);
  const sessionId = await rows.session({ id }, channel, { chatId: senderId });
  const { id: taskId } = await rows.task({ id, projectId: channel.projectId ?? "" }, { sessionId });
  const deps = (calls: number): ProgressDeps => ({
    db: database.db,
    channels: { ...adapters, telegram: { ...adapters.telegram, api: () => stage.api() } },
    apiEnvironment: environmentOf(),
    channelSecrets: { decrypt: async (text) => text },
    log: { ...createLog(), warn: () => {} },
    taskLogs: logOf(calls),
    queue: partOf({
      publish: async (message: QueueMessage) => {
        if (isQueueDown) throw new Error("The queue is down");
        published.push(message);
      },
    }),
  });
  published.push(messageTo(lookDue, { taskId }));
  return {
    channelId: channel.id,
    stage,
    /** The queue delivers the next look, when the task has made so many calls. */
    look: async (calls: number) => {
      const soFar = ProgressSoFar.parse(published.shift()?.payload);
      await showProgress(deps(calls), soFar);
    },
    finish: () =>
      database.db
        .update(tasks)
        .set({ status: "completed", completedAt: new Date() })
        .where(eq(tasks.id, taskId)),
  };
}

describe("a line of progress", () => {
  it("is edited, and removed at the end", async () => {
    const { stage, ...task } = await newTask();
    await task.look(1);
    await task.look(2);
    expect(stage.shown).toEqual([expect.stringContaining("call 2")]);
    await task.finish();
    await task.look(2);
    expect(stage.shown).toEqual([]);
    expect(published).toEqual([]);
  });

  it("is removed later when the platform is busy at the end", async () => {
    const { stage, ...task } = await newTask();
    await task.look(1);
    await task.finish();
    stage.beBusy();
    await task.look(1);
    expect(stage.shown).toHaveLength(1);
    expect(published).toMatchObject([{ function: "show-progress", delaySeconds: BUSY_SECONDS }]);
    await task.look(1);
    expect(stage.shown).toEqual([]);
    expect(published).toEqual([]);
  });

  it("stays, and the channel's owner is told, when it cannot be removed for minutes", async () => {
    const { stage, ...task } = await newTask();
    await task.look(1);
    await task.finish();
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      expect(published).toHaveLength(1);
      stage.beBusy();
      await task.look(1);
    }
    expect(published).toEqual([]);
    const ofTask = eq(channelConfigs.id, task.channelId);
    const [channel] = await database.db.select().from(channelConfigs).where(ofTask);
    expect(channel?.lastError).toMatch(/^A line about the agent's work could not be removed: /u);
  });

  it.each([
    { sendsOnce: false, left: 1 },
    { sendsOnce: true, left: 0 },
  ])(
    "has no second one beside it when the answer to the first was lost, which is found where texts are sent once: $sendsOnce",
    async ({ sendsOnce, left }) => {
      const { stage, ...task } = await newTask(new Stage({ sendsOnce }));
      stage.loseAnswer();
      for (const calls of [1, 2, 3]) await task.look(calls);
      expect(stage.shown).toHaveLength(1);
      await task.finish();
      await task.look(3);
      expect(stage.shown).toHaveLength(left);
    },
  );

  it("goes when the queue does not take the next look, since that look comes again", async () => {
    const { stage, ...task } = await newTask();
    const [first] = published;
    isQueueDown = true;
    await expect(task.look(1)).rejects.toThrow("The queue is down");
    expect(stage.shown).toEqual([]);
    isQueueDown = false;
    if (first) published.push(first);
    await task.look(1);
    expect(stage.shown).toHaveLength(1);
  });

  it("is removed when its person may no longer be written to", async () => {
    const { stage, ...task } = await newTask();
    await task.look(1);
    await database.db
      .delete(platformIdentities)
      .where(eq(platformIdentities.channelConfigId, task.channelId));
    await task.look(2);
    expect(stage.shown).toEqual([]);
    expect(published).toEqual([]);
  });
});
