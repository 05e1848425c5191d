import { eq, inArray, sql } from "drizzle-orm";
import { afterAll, describe, expect, it, vi } from "vitest";
import { tasks } from "#src/db/schema/index.ts";
import type { ApiAnswer } from "#test/support/api-client.ts";
import { frameOf, newChatClient } from "#test/support/chat-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { startService } from "#test/support/service.ts";
import { openSocket } from "#test/support/socket.ts";
import { call, newTaskClient, script, type TaskClient } from "#test/support/task-client.ts";

const PER_PERSON = 2;
const PER_PROJECT = 3;
const MESSAGES = 6;
const CALLS_OF_A_KEY = 20;
const MESSAGES_PER_MINUTE = 8;

const service = await startService({
  USER_MAX_CONCURRENT_AGENTS: String(PER_PERSON),
  PROJECT_MAX_CONCURRENT_AGENTS: String(PER_PROJECT),
  USER_ENQUEUE_RATE_PER_10S: String(MESSAGES),
  CHAT_RATE_PER_MINUTE: String(MESSAGES_PER_MINUTE),
  COMMAND_RATE_PER_MINUTE: "3",
  KEY_RATE_BURST: String(CALLS_OF_A_KEY),
  KEY_RATE_PER_SECOND: "0.0001",
});
afterAll(() => service.close());

/** Longer than any test here lasts. */
const LONG = script({ text: "word ".repeat(300), chunks: 300, delay_ms: 1_000 });
const SHORT = script({ text: "Done." });

/** As many as one person may have at work. */
async function fill(client: TaskClient) {
  return [await client.start(LONG), await client.start(LONG)] as const;
}

async function cancel(client: TaskClient, taskId: string) {
  await client.cancel(taskId);
  await client.end(taskId);
}

function expectNoRoom({ status, headers, body }: ApiAnswer<unknown>, limit: number, detail: string) {
  expect({ status, body }).toEqual({
    status: 429,
    body: { detail: expect.stringContaining(detail), limit, current: limit },
  });
  const waits = Number(headers.get("retry-after"));
  expect(waits).toBeGreaterThanOrEqual(1);
  expect(waits).toBeLessThanOrEqual(10);
  expect(headers.get("x-ratelimit-limit")).toBe(String(limit));
  expect(headers.get("x-ratelimit-remaining")).toBe("0");
}

describe("agents of one person", () => {
  it("are so many at work at once, over projects and keys, whatever way the next is asked for", async () => {
    const one = await newTaskClient(service);
    const { account } = one;
    const other = await newTaskClient(service, { account });
    await Promise.all([one.start(LONG), other.start(LONG)]);
    const json = { project_id: (await service.newProject(account.token)).id, message: SHORT };
    const { token } = account;
    const answers = [
      await one.invoke(SHORT),
      await service.call("POST", "/api/chat/stream", { token, json }),
      await service.call("POST", "/api/chat/agent/stream", { token, json }),
      await service.call("POST", "/api/chat/agent", { token: other.key, json }),
    ];
    for (const answer of answers) expectNoRoom(answer, PER_PERSON, "You already have 2 agents at work");
    const stored = await service.call("GET", "/api/v1/agents/tasks", { token: one.key });
    expect(stored.body).toMatchObject({ total: 2 });
    const stranger = await newTaskClient(service);
    expect(await stranger.invoke(SHORT)).toMatchObject({ status: 200 });
  });

  it("do not become more by messages to a chat in which one is at work, and make room when they end", async () => {
    const client = await newTaskClient(service);
    const [first, second] = await fill(client);
    expectNoRoom(await client.invoke(SHORT), PER_PERSON, "You already have 2 agents at work");
    const behind = await client.start(SHORT, { chat_id: first.chat_id });
    await client.start(SHORT, { chat_id: second.chat_id });
    expect(await client.status(behind.task_id)).toMatchObject({ status: "queued" });
    await cancel(client, first.task_id);
    await client.end(behind.task_id);
    expect(await client.status(behind.task_id)).toMatchObject({ status: "completed" });
    // The agent of the ended task counts no longer.
    expect(await client.invoke(SHORT)).toMatchObject({ status: 200 });
  });

  it("are not at work while they wait for an approval, and go on when they get it", async () => {
    const account = await service.signUp();
    const chat = await newChatClient(service, { account });
    const dangerous = script({ tools: [call("bash_exec", { command: "true" })] }, { text: "It was allowed" });
    const stream = await chat.send(dangerous, { edit_mode: "ask" });
    const { data } = await frameOf(stream, "approval_required");
    const client = await newTaskClient(service, { account, projectId: chat.projectId });
    await fill(client);
    expectNoRoom(await client.invoke(SHORT), PER_PERSON, "You already have 2 agents at work");
    // It waits behind the one that waits.
    await client.start(SHORT, { chat_id: stream.chatId });
    await chat.call("POST", "/api/chat/agent/approval", {
      approval_id: data?.["approval_id"],
      response: "allow_once",
    });
    const frames = await chat.replay(stream.taskId);
    expect(frames.find(({ type }) => type === "complete")?.data).toMatchObject({
      final_response: "It was allowed",
    });
  });

  it("are refused on a socket with the numbers, and the socket stays", async () => {
    const client = await newTaskClient(service);
    const { token } = client.account;
    const socket = await openSocket(service.url, `/ws/chat/${client.projectId}?token=${token}`);
    const [first] = await fill(client);
    socket.send({ message: SHORT });
    const error = await socket.next("error");
    const message = error["message"];
    expect(error).toEqual({
      type: "error",
      message: expect.stringContaining("You already have 2 agents at work"),
      content: message,
      data: { message, code: "rate_limited", limit: 2, current: 2, retry_after_seconds: 10 },
    });
    await cancel(client, first.task_id);
    socket.send({ message: SHORT });
    await socket.next("message_accepted");
    socket.close();
  });
});

it("messages of one person are limited per ten seconds over keys, sessions and sockets together; after Retry-After one is let in", async () => {
  const one = await newTaskClient(service);
  const { account, projectId } = one;
  const other = await newTaskClient(service, { account, projectId });
  const socket = await openSocket(service.url, `/ws/chat/${projectId}?token=${account.token}`);
  const { chat_id } = await one.start(LONG);
  for (let sent = 1; sent < MESSAGES - 1; sent += 1) await other.start(SHORT, { chat_id });
  socket.send({ message: SHORT, chat_id });
  await socket.next("message_accepted");
  const database = databaseOf(service);
  const ofPerson = eq(tasks.userId, account.id);
  const sent = await database.select({ id: tasks.id }).from(tasks).where(ofPerson);
  const ids = sent.map(({ id }) => id);
  /** As if these had been sent so many seconds ago, and any other long before. */
  const sentBefore = async (seconds: number) => {
    await database
      .update(tasks)
      .set({ createdAt: sql`now() - interval '1 hour'` })
      .where(ofPerson);
    await database
      .update(tasks)
      .set({ createdAt: sql`now() - ${seconds}::int * interval '1 second'` })
      .where(inArray(tasks.id, ids));
  };
  // On a busy machine the ten seconds may be over before the message gets there: then it is let in, which is right.
  const refused = await vi.waitFor(async () => {
    await sentBefore(0);
    const answer = await one.invoke(SHORT, { chat_id });
    expectNoRoom(answer, MESSAGES, "Too many messages");
    return answer;
  });
  await sentBefore(Number(refused.headers.get("retry-after")));
  expect(await one.invoke(SHORT, { chat_id })).toMatchObject({ status: 200 });
  socket.close();
});

describe("calls in a minute", () => {
  it("of a key to the agent's API have a limit, and each tells where its caller stands", async () => {
    const caller = await newTaskClient(service);
    const invoked = await caller.invoke(SHORT);
    const ask = (path: string) =>
      service.call("GET", `/api/external/agent/${path}/${invoked.body.task_id}`, { token: caller.key });
    const answers: ApiAnswer<unknown>[] = [invoked];
    while (answers.length < CALLS_OF_A_KEY) answers.push(await ask("status"));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const left = answers.map(({ headers }) => Number(headers.get("x-ratelimit-remaining")));
    expect(left).toEqual(answers.map((_, index) => CALLS_OF_A_KEY - 1 - index));
    for (const path of ["status", "events"]) {
      const { status, headers, body } = await ask(path);
      expect({ status, body }).toEqual({ status: 429, body: { detail: "Rate limit exceeded" } });
      expect(headers.get("x-ratelimit-limit")).toBe(String(CALLS_OF_A_KEY));
      expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    }
  });

  it("that run commands have a limit", async () => {
    const { account, projectId } = await newTaskClient(service);
    const json = { project_id: projectId, command: "true" };
    const execute = () => service.call("POST", "/api/agent/execute", { token: account.token, json });
    // At once: a count that nobody adds to for ten seconds may begin anew.
    const answers = await Promise.all([execute(), execute(), execute(), execute()]);
    const [refused, ...others] = answers.toSorted((one, other) => other.status - one.status);
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(refused?.status).toBe(429);
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});
