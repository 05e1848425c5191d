import { eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { channelMessages, jobs } from "#src/db/schema/index.ts";
import { resumeForTask, sendForTask } from "#src/domain/messaging/agent-messages/index.ts";
import { deliverMessage, retryMessage, sendStored } from "#src/domain/messaging/deliveries/index.ts";
import { MARK } from "#src/domain/messaging/deliveries/mark.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { executeJob } from "#src/work/execute.ts";
import { fileDatabase } from "#test/support/database.ts";
import { HANGS_MS } from "#test/support/hangs.ts";
import { killedEverywhere, makeTripsMortal, outside } from "#test/support/mortal.ts";
import { Outbox } from "./support/outbox.ts";
import { ListeningPlatform, PlatformRows } from "./support/people-of-platforms.ts";

const { db } = await fileDatabase();
const rows = new PlatformRows(db);
const outbox = new Outbox(db);

beforeEach(() => {
  // Dead executors renew nothing.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  makeTripsMortal();
});
afterEach(() => void vi.useRealTimers());

/** A platform that listens, and a queue whose deliveries a test asks for. */
function newService() {
  const platform = new ListeningPlatform();
  const published: string[] = [];
  const deps = {
    ...platform.deps(db),
    queue: {
      ...platform.deps(db).queue,
      publish: ({ payload }: QueueMessage) =>
        outside(async () => void published.push(String(Object.values(payload ?? {})[0]))),
    },
  };
  const deliverPublished = async () => {
    for (let key = published.shift(); key !== undefined; key = published.shift()) {
      await executeJob(deps, deliverMessage, key);
    }
  };
  return { platform, deps, deliverPublished };
}

/** As if the lease of a dead executor had ended. */
const passFor = (ownerId: string) =>
  db.execute(sql`UPDATE jobs SET due_at = due_at - interval '10 seconds', lease_until = lease_until - interval '10 seconds'
    WHERE kind = ${deliverMessage.name} AND share = ${ownerId}`);

/** A program that tells a person two things, one after the other. */
async function twoMessages() {
  const channel = await rows.channel(await rows.person());
  const { platform, deps, deliverPublished } = newService();
  const place = { chatId: newId(), chatType: "dm", threadId: undefined } as const;
  const common = { channel, sessionKey: "key", place, kind: "message", taskId: null, person: null } as const;
  const plain = { replyTo: undefined, replyTarget: undefined, buttons: [] } as const;
  const program = async () => {
    for (const content of ["first", "second"]) {
      await sendStored(deps, { ...common, ...plain, content, occasion: `${place.chatId}:${content}` });
    }
  };
  const pass = () => passFor(channel.userId);
  const verify = async () => {
    const texts = platform.sent.map(({ text }) => text.plain);
    const firstOf = (content: string) => texts.findIndex((text) => text.endsWith(content));
    expect(firstOf("first")).toBeLessThan(firstOf("second"));
    for (const content of ["first", "second"]) {
      const sent = texts.filter((text) => text.endsWith(content));
      expect(sent.slice(1), "a repetition says so").toEqual(sent.slice(1).map(() => `${MARK}\n${content}`));
      expect(sent.length).toBeGreaterThan(0);
    }
    const stored = await db
      .select()
      .from(channelMessages)
      .where(eq(channelMessages.channelConfigId, channel.id));
    expect(stored.map(({ status }) => status)).toEqual(["delivered", "delivered"]);
    expect(await db.$count(jobs, eq(jobs.share, channel.userId))).toBe(0);
  };
  return { program, pass, deliverPublished, verify };
}

// Without a sweep: what stored the messages is delivered again by the queue, and that is all it takes.
it.each(["when the dead executor's lease has ended", "at once"])(
  "a sender that is killed at any call has its messages sent in their order, by the redelivery that comes %s",
  async (when) => {
    const calls = await killedEverywhere(async () => {
      const { program, pass, deliverPublished, verify } = await twoMessages();
      return {
        program,
        after: async () => {
          if (when !== "at once") await pass();
          await program();
          await pass();
          await deliverPublished();
          await verify();
        },
      };
    });
    expect(calls).toBeGreaterThan(6);
  },
);

/** A person who has a failed message sent again. */
async function failedMessage() {
  const owner = await rows.person();
  const channel = await rows.channel(owner);
  const id = await outbox.newMessage(channel.id, { status: "failed", error: "The bot was blocked." });
  const service = newService();
  const retry = (deps = service.deps) => retryMessage(deps, owner.caller, channel.id, id);
  return { ...service, id, retry };
}

// Without a sweep: the queue has the message before it is pending.
it("a failed message whose owner sends it again is sent, or is still failed, wherever the request is killed", async () => {
  const ends: string[] = [];
  const calls = await killedEverywhere(async () => {
    const { platform, deliverPublished, id, retry } = await failedMessage();
    const after = async () => {
      await deliverPublished();
      const { status } = await outbox.message(id);
      expect(platform.sent).toHaveLength(status === "delivered" ? 1 : 0);
      ends.push(status);
    };
    return { program: () => retry(), after };
  });
  expect(calls).toBeGreaterThanOrEqual(4);
  expect(new Set(ends)).toEqual(new Set(["failed", "delivered"]));
});

const goneAway = () => Promise.reject(new AppError("unavailable", "The queue did not answer"));

it("a failed message is still failed, and can be sent again, when the queue did not answer", async () => {
  const { platform, deps, deliverPublished, id, retry } = await failedMessage();
  await expect(retry({ ...deps, queue: { ...deps.queue, publish: goneAway } })).rejects.toMatchObject({
    code: "unavailable",
  });
  expect(await outbox.message(id)).toMatchObject({ status: "failed", error: "The bot was blocked." });
  await retry();
  await deliverPublished();
  expect(platform.sent).toHaveLength(1);
});

/** A task whose agent sends a message with a file, and waits so long for its outcome. */
async function agentMessage(patienceMs: number) {
  const person = await rows.person();
  const channel = await rows.channel(person);
  await rows.identity(person);
  const task = await rows.task(person);
  const service = newService();
  const [callId, deps] = ["1:call_1", { ...service.deps, patienceMs }];
  const message = { platform: "telegram", target: undefined, text: "Done", files: ["beds.csv"] } as const;
  const stored = () =>
    db.select().from(channelMessages).where(eq(channelMessages.taskId, task.id)).orderBy(channelMessages.id);
  return {
    ...service,
    send: () => sendForTask(deps, task, { ...message, callId }),
    resume: () => resumeForTask(deps, task, callId),
    pass: () => passFor(channel.userId),
    stored,
  };
}

// Without a sweep: the executor that goes on with the task goes on with its message.
it.each([
  ["when the dead executor's lease has ended", HANGS_MS],
  ["at once", 200],
])(
  "an agent's message whose sender is killed at any call is sent with its files by the executor that goes on %s, which knows what became of it",
  async (when, patienceMs) => {
    const kinds: string[] = [];
    const calls = await killedEverywhere(async () => {
      const { platform, deliverPublished, send, resume, pass, stored } = await agentMessage(patienceMs);
      const after = async () => {
        if (when !== "at once") await pass();
        const first = await resume();
        await pass();
        await deliverPublished();
        const texts = platform.sent.map(({ text }) => text.plain).filter((text) => text.endsWith("Done"));
        const sent = await stored();
        expect(sent.map(({ status }) => status)).toEqual(sent.map(() => "delivered"));
        expect(texts.length > 0).toBe(sent.length > 0);
        expect(texts.slice(1), "a repetition says so").toEqual(texts.slice(1).map(() => `${MARK}\nDone`));
        const told = await resume();
        expect(told?.status).toBe(sent.length > 0 ? "sent" : undefined);
        kinds.push(`${first?.status}, then ${sent.map(({ kind }) => kind).join(" and ")}`);
      };
      return { program: send, after };
    });
    expect(calls).toBeGreaterThan(6);
    const waiting = when === "at once" ? ["queued, then message and artifact"] : [];
    expect(new Set(kinds)).toEqual(
      new Set(["undefined, then ", ...waiting, "sent, then message and artifact"]),
    );
  },
);
