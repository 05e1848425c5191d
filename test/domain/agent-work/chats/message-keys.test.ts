import { eq } from "drizzle-orm";
import { afterAll, describe, expect, it } from "vitest";
import { messageKeys, tasks } from "#src/db/schema/index.ts";
import { sendMessage, sentBefore, type ChatWish } from "#src/domain/agent-work/chats/index.ts";
import { createProject } from "#src/domain/workspaces/projects/index.ts";
import type { Services } from "#src/services.ts";
import { newColleague } from "#test/support/colleagues.ts";
import { openDatabase } from "#test/support/database.ts";
import { NO_AGENT_LIMITS } from "#test/support/message-to-agent.ts";
import { partOf } from "#test/support/part-of.ts";

const database = await openDatabase();
afterAll(() => database.close());

const app = { name: "app", description: "", sourceType: "empty" } as const;

async function newSender() {
  const { db } = database;
  const { id, caller } = await newColleague(db);
  const { id: project } = await createProject(database, caller, app);
  const deps = partOf<Services>({
    db,
    config: { DEFAULT_MODEL: "demo", ...NO_AGENT_LIMITS },
    modelSettings: { platformModels: ["demo"] },
    queue: { publish: async () => {} },
  });
  const wish: ChatWish = {
    project,
    chatId: undefined,
    message: "Hello",
    agentId: undefined,
    idempotencyKey: "key",
  };
  return {
    id,
    wish,
    send: (change: Partial<ChatWish> = {}) => sendMessage(deps, caller, { ...wish, ...change }),
    before: (change: Partial<ChatWish> = {}) => sentBefore(deps, caller, { ...wish, ...change }),
    tasks: async () => (await db.select().from(tasks).where(eq(tasks.userId, id))).map((task) => task.id),
  };
}

describe("a person's message with an idempotency key", () => {
  it("is one task, however often and however fast it is sent", async () => {
    const sender = await newSender();
    expect(await sender.before()).toBeUndefined();
    const sent = await Promise.all(Array.from({ length: 20 }, () => sender.send()));
    expect(new Set(sent.map(({ taskId }) => taskId)).size).toBe(1);
    expect(await sender.tasks()).toEqual([sent[0]?.taskId]);
    expect(await sender.before()).toMatchObject({ taskId: sent[0]?.taskId });
  });

  it("is refused with another text, and when the client asked for something else", async () => {
    const sender = await newSender();
    const refusal = { code: "invalid_body", message: expect.stringContaining("different request") };
    await sender.send();
    await expect(sender.send({ message: "Other" })).rejects.toMatchObject(refusal);
    await sender.send({ idempotencyKey: "asked", request: "one" });
    await expect(sender.send({ idempotencyKey: "asked", request: "two" })).rejects.toMatchObject(refusal);
    expect(await sender.tasks()).toHaveLength(2);
  });

  it("shares its key with no other person", async () => {
    const [one, other] = [await newSender(), await newSender()];
    const [first, second] = [await one.send(), await other.send()];
    expect(first.taskId).not.toBe(second.taskId);
  });

  it("is a new message after 24 hours", async () => {
    const sender = await newSender();
    const first = await sender.send();
    await database.db
      .update(messageKeys)
      .set({ createdAt: new Date(Date.now() - 25 * 3_600_000) })
      .where(eq(messageKeys.userId, sender.id));
    const second = await sender.send({ message: "Another" });
    expect(second.taskId).not.toBe(first.taskId);
  });

  it("does not use up its key when it is refused", async () => {
    const sender = await newSender();
    await expect(sender.send({ chatId: crypto.randomUUID() })).rejects.toMatchObject({ code: "not_found" });
    expect(await sender.send()).toMatchObject({ taskId: expect.any(String) });
  });
});
