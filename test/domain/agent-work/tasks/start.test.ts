import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { externalApiKeys, messageKeys, tasks } from "#src/db/schema/index.ts";
import { type ChatInput, createChat, sendMessage, sentBefore } from "#src/domain/agent-work/chats/index.ts";
import { startTask, type StartTask, sweepTasks } from "#src/domain/agent-work/tasks/index.ts";
import { deleteExpiredIdempotencyKeys } from "#src/domain/agent-work/tasks/queries/start.ts";
import { revokeApiKey } from "#src/domain/programs/api-keys/index.ts";
import { listProjects, requireProject } from "#src/domain/workspaces/projects/index.ts";
import { newId } from "#src/lib/ids.ts";
import { createLog } from "#src/platform/log/log.ts";
import { newApiKey } from "#test/domain/programs/support/new-api-key.ts";
import { newColleague, newMember, newProject } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { fieldsOf } from "#test/support/fields.ts";
import {
  messageToAgent,
  type NO_AGENT_LIMITS,
  NO_LAUNCHES,
  startDeps,
} from "#test/support/message-to-agent.ts";
import { CLIENT, sessionDeps } from "#test/support/people.ts";
import { keptQueue } from "#test/support/kept-queue.ts";

const database = await fileDatabase();
const { db } = database;

async function newSender() {
  const person = await newColleague(db);
  const { id: project, teamId } = await newProject(db, person);
  const input = {
    project,
    chatId: undefined,
    message: "Hello",
    agentId: undefined,
    idempotencyKey: "key",
  };
  return {
    ...person,
    project,
    teamId,
    send: (change: Partial<ChatInput> = {}) =>
      sendMessage(startDeps(db), person.caller, { ...input, ...change }),
    before: () => sentBefore(startDeps(db), person.caller, input),
    tasks: () => db.select().from(tasks).where(eq(tasks.userId, person.id)),
  };
}

describe("a person's message with an idempotency key", () => {
  it("is one task, however often and however fast it is sent", async () => {
    const sender = await newSender();
    expect(await sender.before()).toBeUndefined();
    const sent = await Promise.all(Array.from({ length: 10 }, () => sender.send()));
    expect(new Set(sent.map(({ taskId }) => taskId)).size).toBe(1);
    expect(await sender.tasks()).toMatchObject([{ id: sent[0]?.taskId }]);
    expect(await sender.before()).toMatchObject({ taskId: sent[0]?.taskId });
    // It shares its key with no other person.
    expect((await (await newSender()).send()).taskId).not.toBe(sent[0]?.taskId);
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

  it("is a new message after 24 hours, and does not use up its key when it is refused", async () => {
    const sender = await newSender();
    await expect(sender.send({ chatId: crypto.randomUUID() })).rejects.toMatchObject({ code: "not_found" });
    const first = await sender.send();
    await db
      .update(messageKeys)
      .set({ createdAt: new Date(Date.now() - 25 * 3_600_000) })
      .where(eq(messageKeys.userId, sender.id));
    expect((await sender.send({ message: "Another" })).taskId).not.toBe(first.taskId);
  });

  it("has its key kept for the promised 24 hours, and forgotten after 25", async () => {
    const { id: userId } = await newColleague(db);
    const usedHoursAgo = (hours: number) => ({
      userId,
      key: `used ${hours} hours ago`,
      requestHash: "hash",
      taskId: newId(),
      createdAt: sql`now() - make_interval(hours => ${hours}::int)`,
    });
    await db.insert(messageKeys).values([usedHoursAgo(0), usedHoursAgo(24), usedHoursAgo(26)]);
    await deleteExpiredIdempotencyKeys(db);
    const ofPerson = eq(messageKeys.userId, userId);
    const left = await db.select().from(messageKeys).where(ofPerson).orderBy(messageKeys.key);
    expect(left.map(({ key }) => key)).toEqual(["used 0 hours ago", "used 24 hours ago"]);
  });
});

const LIMIT = 3;
const AT_ONCE = 12;

/** Start as many at once, with this limit alone. Returns how many were accepted and how many refused for want of room. */
async function atOnce(
  limit: keyof typeof NO_AGENT_LIMITS,
  messageOf: (index: number) => Pick<StartTask, "userId" | "projectId"> & Partial<StartTask>,
) {
  const deps = startDeps(db, { [limit]: LIMIT });
  const started = await Promise.allSettled(
    Array.from({ length: AT_ONCE }, (_, index) => startTask(deps, messageToAgent(messageOf(index)))),
  );
  const codes = started.map((each) => (each.status === "rejected" ? fieldsOf(each.reason)["code"] : "taken"));
  const count = (code: string) => codes.filter((each) => each === code).length;
  return { taken: count("taken"), refused: count("rate_limited") };
}

describe("of many messages at once exactly so many are taken as there is room for", () => {
  const exactly = { taken: LIMIT, refused: AT_ONCE - LIMIT };

  it("with one person in several projects", async () => {
    const { id: userId, caller, ...sender } = await newSender();
    const projects = [await newProject(db, { caller }), await newProject(db, { caller })];
    const projectOf = (index: number) => projects[index % projects.length]?.id ?? "";
    const message = (index: number) => ({ userId, projectId: projectOf(index) });
    expect(await atOnce("USER_MAX_CONCURRENT_AGENTS", message)).toEqual(exactly);
    expect(await sender.tasks()).toHaveLength(LIMIT);
  });

  it("with several people in one project", async () => {
    const { id, project: projectId, teamId } = await newSender();
    const people = [id, (await newMember(db, teamId, "editor")).id];
    const personOf = (index: number) => people[index % people.length] ?? "";
    const message = (index: number) => ({ userId: personOf(index), projectId });
    expect(await atOnce("PROJECT_MAX_CONCURRENT_AGENTS", message)).toEqual(exactly);
  });

  it("with one person's messages of ten seconds, though they go to one chat", async () => {
    const { id: userId, project: projectId, ...sender } = await newSender();
    const message = { userId, projectId, chat: { kind: "latest" } } as const;
    const { taken, refused } = await atOnce("USER_ENQUEUE_RATE_PER_10S", () => message);
    expect([taken >= LIMIT, taken + refused]).toEqual([true, AT_ONCE]);
    const times = (await sender.tasks())
      .map(({ createdAt }) => createdAt.getTime())
      .toSorted((a, b) => a - b);
    expect(times).toHaveLength(taken);
    // Where they take longer than ten seconds, the later ones find room again. The times are rounded to milliseconds.
    const without = times.filter(
      (time, index) => index >= LIMIT && time - (times[index - LIMIT] ?? 0) < 9_999,
    );
    expect(without).toEqual([]);
  });
});

it("the sweep ends what revoked keys started, where the request that revoked them died before it could", async () => {
  const owner = await newSender();
  const deps = sessionDeps(db);
  const { queue, published } = keptQueue();
  /** A key that started a task, and was revoked by a request that died. */
  const newKey = async () => {
    const { key } = await newApiKey(db, owner);
    const message = messageToAgent({ userId: owner.id, apiKeyId: key.id, projectId: owner.project });
    await startTask(startDeps(db), message);
    await expect(revokeApiKey(deps, owner.id, key.id, CLIENT)).rejects.toThrow("Nothing was to be queued");
    return key.id;
  };
  const [lost, over, fresh] = [await newKey(), await newKey(), await newKey()];
  await db.update(tasks).set({ status: "failed" }).where(eq(tasks.apiKeyId, over));
  for (const [keyId, seconds] of [
    [lost, 60],
    [over, 60],
    [fresh, 0],
  ] as const) {
    await db
      .update(externalApiKeys)
      .set({ revokedAt: sql`now() - make_interval(secs => ${seconds}::int)` })
      .where(eq(externalApiKeys.id, keyId));
  }
  await sweepTasks({ db, log: createLog(), queue, taskLogs: NO_LAUNCHES });
  expect(published.filter((each) => each.function === "stop-tasks")).toEqual([
    { function: "stop-tasks", payload: { keyId: lost } },
  ]);
});

it("no task is stored for a key that is bound to other projects", async () => {
  const owner = await newSender();
  const [bound, other] = [await newProject(db, owner), await newProject(db, owner)];
  const { key } = await newApiKey(db, owner, { projectIds: [bound.id] });
  const start = (projectId: string) =>
    startTask(startDeps(db), messageToAgent({ userId: owner.id, apiKeyId: key.id, projectId }));
  await expect(start(other.id)).rejects.toMatchObject({ code: "unauthenticated" });
  await start(bound.id);
  expect(await owner.tasks()).toMatchObject([{ projectId: bound.id }]);
});

it("the workspace that a chat about no project makes is private", async () => {
  const owner = await newColleague(db);
  const colleague = await newMember(db, owner.personalTeamId, "editor");
  const { projectId } = await createChat(database, owner.caller, { project: undefined, title: undefined });
  const view = (caller: typeof owner.caller) => requireProject(database, caller, projectId, "project.view");
  expect(await view(owner.caller)).toMatchObject({ visibility: "private" });
  await expect(view(colleague.caller)).rejects.toMatchObject({ code: "not_found" });
  expect(await listProjects(database, colleague.caller, {})).toEqual([]);
});
