import { neonConfig } from "@neondatabase/serverless";
import { and, asc, eq, lt, sql } from "drizzle-orm";
import { chats, messages, tasks } from "#src/db/schema/index.ts";
import { createApiKey } from "#src/domain/organisations/api-keys/index.ts";
import { createProject } from "#src/domain/workspaces/projects/index.ts";
import {
  cancelTask,
  claimTask,
  closeTask,
  endOfStopped,
  finishTask,
  followUpTask,
  isTerminal,
  resumeTask,
  startTask,
  sweepTasks,
} from "#src/domain/agent-work/tasks/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { createLog } from "#src/platform/log/log.ts";
import type { TaskLogs } from "#src/platform/objects/task-logs.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { newColleague } from "#test/support/colleagues.ts";
import { Interleaving } from "#test/support/interleaving.ts";
import { MemoryTaskLogs } from "#test/support/memory-task-logs.ts";
import { messageToAgent, NO_AGENT_LIMITS } from "#test/support/message-to-agent.ts";
import { CLIENT, sessionDeps } from "#test/support/people.ts";
import { seeded, type Random } from "#test/support/random.ts";
import { partOf } from "#test/support/part-of.ts";
import { fieldsOf } from "#test/support/fields.ts";

/** Deliveries of a message that fail before the queue gives it up, as QStash does by default. */
const DELIVERIES = 4;
/** Milliseconds within which the queue takes a second message of the same name for the first. */
const DEDUPLICATION_MS = 600_000;

/** A chat, and a key whose requests may be repeated. */
export async function newChat(db: Db) {
  const { id: userId, caller } = await newColleague(db);
  const wish = { name: "app", description: "", sourceType: "empty" } as const;
  const { id: projectId, teamId } = await createProject({ db }, caller, wish);
  const settings = { name: "key", scopes: null, projectIds: null, expiresAt: null };
  const { key } = await createApiKey({ ...sessionDeps(db), db }, caller, settings, CLIENT);
  const chatId = crypto.randomUUID();
  await db.insert(chats).values({ id: chatId, userId, projectId, origin: "api" });
  return { userId, projectId, teamId, apiKeyId: key.id, chatId };
}

export type Chat = Awaited<ReturnType<typeof newChat>>;

interface Delivery {
  message: QueueMessage;
  failed: number;
  isRunning: boolean;
}

/**
 * One chat, with all that may happen to it: messages are sent, tasks executed, cancelled, given up by executors that die or fall
 * silent; the queue delivers late, again, in any order, and gives messages up. What the service does is the service's own code,
 * with a real database; only the turns of the agent are empty.
 */
export class ChatWorld {
  readonly #db: Db;
  readonly #random: Random;
  readonly #programs: Interleaving;
  readonly #logs: MemoryTaskLogs;
  readonly #chat: Chat;
  readonly #published = new Map<string, number>();
  #queue: Delivery[] = [];
  readonly #acknowledged = new Set<string>();
  readonly #begun: string[] = [];
  readonly #problems: string[] = [];

  constructor(db: Db, chat: Chat, seed: number) {
    this.#db = db;
    this.#random = seeded(seed);
    this.#programs = new Interleaving(this.#random);
    this.#chat = chat;
    // Every trip to the database is a point, too; its answer is read within it.
    neonConfig.fetchFunction = (url: string, init: RequestInit) =>
      this.#programs.point(async () => {
        const answer = await fetch(url, init);
        return new Response(await answer.text(), answer);
      });
    this.#logs = new MemoryTaskLogs({
      publish: async (message) => this.#accept(message),
      publishBatch: async (several) => several.forEach((message) => this.#accept(message)),
      ensureSchedule: async () => {},
      answers: async () => true,
    });
  }

  get #deps() {
    const point = <T>(act: () => Promise<T>) => this.#programs.point(act);
    const taskLogs = partOf<TaskLogs>(this.#logs.through(point));
    const publish = (message: QueueMessage) => point(async () => this.#accept(message));
    return {
      db: this.#db,
      log: createLog(),
      taskLogs,
      queue: {
        publish,
        publishBatch: async (several: readonly QueueMessage[]) => {
          for (const message of several) await publish(message);
        },
        ensureSchedule: async () => {},
        answers: async () => true,
      },
      config: { DEFAULT_MODEL: "demo", ...NO_AGENT_LIMITS },
      modelSettings: { platformModels: ["demo"] },
    };
  }

  #accept(message: QueueMessage): void {
    const name = message.deduplicationId ?? crypto.randomUUID();
    const before = this.#published.get(name);
    if (before !== undefined && before + DEDUPLICATION_MS > this.#logs.now) return;
    this.#published.set(name, this.#logs.now);
    this.#queue.push({ message, failed: 0, isRunning: false });
  }

  // ── What may happen ────────────────────────────────────────────────

  /** A program sends a message, and again with the same key while it does not hear that it was taken. */
  #send(idempotencyKey = crypto.randomUUID()): void {
    const again = () => this.#send(idempotencyKey);
    const { chatId, ...who } = this.#chat;
    const message = messageToAgent({ ...who, chat: { kind: "named", id: chatId }, idempotencyKey });
    const request = async () => {
      const { taskId } = await startTask(this.#deps, message);
      this.#acknowledged.add(taskId);
    };
    this.#programs.start(request, (failure) => failure !== undefined && again(), again);
  }

  /** The queue delivers one of its messages. */
  #deliver(): void {
    const waiting = this.#queue.filter(({ isRunning }) => !isRunning);
    const delivery = waiting[this.#random.whole(0, waiting.length - 1)];
    if (!delivery) return;
    delivery.isRunning = true;
    const fail = () => {
      delivery.isRunning = false;
      delivery.failed += 1;
      if (delivery.failed === DELIVERIES) this.#drop(delivery);
    };
    this.#programs.start(
      async () => {
        if ((await this.#run(delivery.message)) === "later") throw new Error("later");
      },
      (failure) => {
        if (failure !== undefined) return fail();
        delivery.isRunning = false;
        // At least once: the queue may not have heard that it was done.
        if (!this.#random.chance(0.1)) this.#drop(delivery);
      },
      fail,
    );
  }

  #drop(delivery: Delivery): void {
    this.#queue = this.#queue.filter((each) => each !== delivery);
  }

  #cancel(): void {
    const ids = [...this.#acknowledged];
    const id = ids[this.#random.whole(0, ids.length - 1)];
    if (id === undefined) return;
    const request = async () => {
      const [task] = await this.#db.select().from(tasks).where(eq(tasks.id, id));
      if (task) await cancelTask(this.#deps, task);
    };
    this.#programs.start(
      request,
      () => {},
      () => {},
    );
  }

  #sweep(): void {
    this.#programs.start(
      () => sweepTasks(this.#deps),
      () => {},
      () => {},
    );
  }

  /** Ten seconds without any other step; what was due in them happens. */
  async #wait(): Promise<void> {
    this.#logs.now += 10_000;
    await this.#db
      .update(tasks)
      .set({ createdAt: sql`created_at - interval '10 seconds'` })
      .where(eq(tasks.chatId, this.#chat.chatId));
    await this.#logs.look();
  }

  // ── The functions ──────────────────────────────────────────────────

  async #run({ function: name, payload }: QueueMessage): Promise<"later" | undefined> {
    const { taskId: id, step } = fieldsOf(payload);
    const taskId = String(id);
    if (name === "agent-step") return this.#execute(taskId, Number(step));
    if (name === "resume-task") await resumeTask(this.#deps, taskId);
    else if (name === "task-finished") await followUpTask(this.#deps, taskId);
    else throw new Error(`No function is named ${name}`);
    return undefined;
  }

  /** As `runStep`, with turns that only take their time. */
  async #execute(taskId: string, step: number): Promise<"later" | undefined> {
    const deps = this.#deps;
    const begun = await deps.taskLogs.begin(taskId, step);
    if (begun.kind === "skip") return undefined;
    if (begun.kind === "busy") return "later";
    const { generation } = begun;
    const claim = await claimTask(deps.db, taskId, generation);
    const ending = idle(taskId, generation);
    if (!claim.claimed || !claim.current) {
      await closeTask(deps, ending);
      return undefined;
    }
    if (begun.kind === "exhausted") {
      const error = "It made no progress";
      await finishTask(deps, ending, {
        status: "failed",
        response: null,
        completionReason: "exhausted",
        error,
      });
      return undefined;
    }
    // A task whose cancellation was requested by a program that died ends without a turn.
    if (begun.stop) {
      await finishTask(deps, ending, endOfStopped(begun.stop, null));
      return undefined;
    }
    await this.#checkTurn(claim.current.task.seq, claim.history);
    this.#begun.push(taskId);
    for (let turn = this.#random.whole(0, 2); turn > 0; turn -= 1) {
      const { stale, stop } = await deps.taskLogs.ping(taskId, generation);
      if (stale) return undefined;
      if (stop) {
        await finishTask(deps, ending, endOfStopped(stop, null));
        return undefined;
      }
    }
    await finishTask(deps, ending, completed(taskId));
    return undefined;
  }

  /** When a turn begins, every task before it is over, and the history holds all of them and nothing else. */
  async #checkTurn(seq: number, history: readonly { seq: number; role: string }[]): Promise<void> {
    await this.#programs.outside(async () => {
      const inChat = eq(tasks.chatId, this.#chat.chatId);
      const before = await this.#db
        .select()
        .from(tasks)
        .where(and(inChat, lt(tasks.seq, seq)));
      for (const task of before) {
        if (!isTerminal(task.status))
          this.#problems.push(`${seq} began while ${task.seq} was ${task.status}`);
      }
      const seen = history.map((each) => `${each.seq} ${each.role}`);
      const said = before
        .toSorted((a, b) => a.seq - b.seq)
        .flatMap((task) => [`${task.seq} user`, `${task.seq} assistant`]);
      if (seen.join() !== said.join()) this.#problems.push(`${seq} saw ${seen.join()}, not ${said.join()}`);
    });
  }

  // ── The run ────────────────────────────────────────────────────────

  async run(): Promise<void> {
    const sends = this.#random.whole(2, 6);
    for (let sent = 0, steps = 0; steps < 120; steps += 1) {
      const drawn = this.#random.whole(1, 100);
      if (this.#programs.isBusy && drawn <= 70) {
        await this.#programs.step({ crash: this.#random.chance(0.08) });
      } else if (sent < sends && drawn <= 80) {
        this.#send();
        sent += 1;
      } else if (drawn <= 90) this.#deliver();
      else if (drawn <= 93) this.#cancel();
      else if (drawn <= 96) this.#sweep();
      else await this.#wait();
    }
    await this.#comeToRest();
  }

  /** Without further failures, every remaining task ends. */
  async #comeToRest(): Promise<void> {
    for (let round = 0; round < 60; round += 1) {
      while (this.#programs.isBusy) await this.#programs.step({ crash: false });
      if ((await this.#isAtRest()) && this.#queue.length === 0) return;
      if (this.#queue.some(({ isRunning }) => !isRunning)) this.#deliver();
      else this.#sweep();
      while (this.#programs.isBusy) await this.#programs.step({ crash: false });
      await this.#wait();
    }
  }

  async #isAtRest(): Promise<boolean> {
    const all = await this.#db.select().from(tasks).where(eq(tasks.chatId, this.#chat.chatId));
    return all.every(({ id, status }) => isTerminal(status) && this.#isClosed(id));
  }

  #isClosed(taskId: string): boolean {
    return this.#logs.lastEvents(taskId)?.at(-1)?.type === "done";
  }

  /** What became of the chat, for a test to judge. */
  async outcome() {
    const { chatId } = this.#chat;
    const all = await this.#db.select().from(tasks).where(eq(tasks.chatId, chatId)).orderBy(asc(tasks.seq));
    const [chat] = await this.#db.select().from(chats).where(eq(chats.id, chatId));
    const said = await this.#db.select().from(messages).where(eq(messages.chatId, chatId));
    return {
      /** What was wrong while it ran. */
      problems: this.#problems,
      acknowledged: [...this.#acknowledged].toSorted(),
      stored: all.map(({ id }) => id).toSorted(),
      unfinished: all.filter(({ status }) => !isTerminal(status)),
      numbers: all.map(({ seq }) => seq),
      /** Sequence numbers, in the order in which executors had the turn first. */
      begun: [...new Set(this.#begun)].map((id) => all.find((task) => task.id === id)?.seq ?? 0),
      lastSeq: chat?.lastSeq,
      unfinishedTasks: chat?.unfinishedTasks,
      messages: said.length,
      notClosed: all.filter(({ id }) => !this.#isClosed(id)),
    };
  }
}

/** What an executor without a turn ends a task with. */
export function idle(taskId: string, generation: number) {
  const nothing = { turn: undefined, call: undefined, totalUsage: undefined };
  return { taskId, generation, iterations: 0, toolCalls: 0, ...nothing };
}

export function completed(taskId: string) {
  return { status: "completed", response: `Answer of ${taskId}`, completionReason: "done" } as const;
}
