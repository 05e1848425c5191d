import { eq, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { channelMessages } from "#src/db/schema/index.ts";
import { deliverMessage } from "#src/domain/messaging/deliveries/index.ts";
import { MARK } from "#src/domain/messaging/deliveries/outgoing.ts";
import {
  claimMessage,
  notePiece,
  postponeMessage,
  renewLease,
  settleMessage,
  strandedMessages,
} from "#src/domain/messaging/deliveries/queries/attempts.ts";
import { sendStored } from "#src/domain/messaging/deliveries/send-stored.ts";
import { newId } from "#src/lib/ids.ts";
import { openDatabase } from "#test/support/database.ts";
import { ListeningPlatform, PlatformRows } from "./support/people-of-platforms.ts";

const database = await openDatabase();
afterAll(() => database.close());
const rows = new PlatformRows(database.db);
const channel = await rows.channel(await rows.person());
let platform: ListeningPlatform;
beforeEach(() => {
  platform = new ListeningPlatform();
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});
afterEach(() => void vi.useRealTimers());

/** A message of the outbox, at a place of its own. */
async function newMessage(content = "Done"): Promise<string> {
  const id = newId();
  const row = { channelConfigId: channel.id, direction: "outbound", status: "pending", content } as const;
  await database.db.insert(channelMessages).values({ ...row, id, jid: `telegram:${id}` });
  return id;
}

const deliver = (id: string) => deliverMessage(platform.deps(database.db), id);

async function stored(id: string) {
  const [row] = await database.db.select().from(channelMessages).where(eq(channelMessages.id, id));
  if (!row) throw new Error("The message is gone");
  return row;
}

/** Moves the end of the lease to so many seconds from now. */
async function setLease(id: string, seconds: number): Promise<void> {
  const nextAttemptAt = sql`now() + make_interval(secs => ${seconds})`;
  await database.db.update(channelMessages).set({ nextAttemptAt }).where(eq(channelMessages.id, id));
}

const secondsLeft = async (id: string) =>
  ((await stored(id)).nextAttemptAt?.getTime() ?? 0) / 1000 - Date.now() / 1000;

/** An executor whose platform answers when it is let go. */
async function slowExecutor(id: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  platform.held = promise;
  const before = platform.sent.length;
  const work = deliver(id);
  await vi.waitFor(() => expect(platform.sent).toHaveLength(before + 1));
  platform.held = undefined;
  return {
    async answer() {
      resolve();
      await work;
    },
  };
}

it("an executor that another one has superseded stores nothing of the message", async () => {
  const id = await newMessage();
  const { db } = database;
  const late = await claimMessage(db, id);
  await setLease(id, -1);
  const now = await claimMessage(db, id);
  if (!late || !now || !("hold" in late) || !("hold" in now)) throw new Error("The message was not claimed");
  const before = await stored(id);
  expect(await renewLease(db, late.hold)).toBe(false);
  expect(await notePiece(db, late.hold, 1)).toBe(false);
  expect(await postponeMessage(db, late.hold, { seconds: 60, error: "busy", mayBeSent: false })).toBe(false);
  expect(await settleMessage(db, late.hold, { status: "failed", error: "late" })).toBeUndefined();
  expect(await stored(id)).toEqual(before);
  expect(await settleMessage(db, now.hold, { status: "delivered", platformMessageId: "1" })).toBeNull();
});

describe("a message whose executor died", () => {
  it("comes back when the lease ends, and is sent then, marked", async () => {
    const id = await newMessage();
    await claimMessage(database.db, id);
    await deliver(id);
    await deliver(id);
    expect(platform.sent).toEqual([]);
    const [again, repeated] = platform.published;
    expect(again).toMatchObject({ function: "deliver-message", payload: { messageId: id } });
    expect(again?.delaySeconds).toBeGreaterThanOrEqual(1);
    expect(again?.delaySeconds).toBeLessThanOrEqual(10);
    expect(repeated?.deduplicationId).toBe(again?.deduplicationId);
    await setLease(id, 0);
    await deliver(id);
    expect(platform.sent.map(({ text }) => text.plain)).toEqual([`${MARK}\nDone`]);
    expect(await stored(id)).toMatchObject({ status: "delivered" });
  });

  it("is found by the sweep as soon as the lease has ended", async () => {
    const id = await newMessage();
    const isStranded = async () =>
      (await strandedMessages(database.db, { quietSeconds: 20, limit: 100 })).includes(id);
    await claimMessage(database.db, id);
    expect(await isStranded()).toBe(false);
    await setLease(id, -1);
    expect(await isStranded()).toBe(true);
  });

  it("is sent by a repetition of what stored it", async () => {
    const id = newId();
    const place = { chatId: id, chatType: "dm", threadId: undefined } as const;
    const wish = { place, kind: "approval_card", content: "May I?", occasion: `approval:${id}` } as const;
    const rest = { replyTo: undefined, replyTarget: undefined, buttons: [], taskId: null, person: null };
    const send = () => sendStored(platform.deps(database.db), channel, "key", { ...wish, ...rest });
    platform.failure = new PlatformFailure("refused", "No.");
    await send();
    const [{ id: stranded } = { id: "" }] = await database.db
      .update(channelMessages)
      .set({ status: "pending" })
      .where(eq(channelMessages.occasion, wish.occasion))
      .returning();
    platform.failure = undefined;
    await send();
    await send();
    expect(platform.sent).toHaveLength(1);
    expect(await stored(stranded)).toMatchObject({ status: "delivered" });
  });
});

describe("a message that is being sent", () => {
  it("stays its executor's for as long as the platform needs", async () => {
    const id = await newMessage();
    const slow = await slowExecutor(id);
    await setLease(id, 1);
    vi.advanceTimersByTime(3_000);
    await vi.waitFor(async () => expect(await secondsLeft(id)).toBeGreaterThan(5));
    await deliver(id);
    expect(platform.sent).toHaveLength(1);
    await slow.answer();
    expect(await stored(id)).toMatchObject({ status: "delivered", platformMessageId: "m1" });
  });

  it("is let go by an executor whose platform never answers", async () => {
    const id = await newMessage();
    const slow = await slowExecutor(id);
    vi.advanceTimersByTime(3_000 * 100);
    expect(vi.getTimerCount()).toBe(0);
    await slow.answer();
  });

  it("is not changed by an executor that lost it: neither by a success nor by a failure", async () => {
    for (const ending of ["success", "failure"] as const) {
      const id = await newMessage();
      const slow = await slowExecutor(id);
      await setLease(id, 0);
      await deliver(id);
      const settled = await stored(id);
      expect(settled.status).toBe("delivered");
      if (ending === "failure") platform.failure = new PlatformFailure("busy", "Too many calls.");
      await slow.answer();
      expect(await stored(id)).toEqual(settled);
      platform.failure = undefined;
    }
  });

  it("has no further piece sent by an executor that lost it", async () => {
    const id = await newMessage(`${"a".repeat(4_000)}\n\n${"b".repeat(4_000)}`);
    const slow = await slowExecutor(id);
    await setLease(id, 0);
    const faster = await slowExecutor(id);
    await slow.answer();
    await faster.answer();
    const texts = platform.sent.map(({ text }) => text.plain.slice(0, 1));
    // The first piece, the mark that it may be a repetition, the piece again, and the second one once.
    expect(texts.filter((text) => text === "b")).toHaveLength(1);
    expect(await stored(id)).toMatchObject({ status: "delivered" });
  });
});
