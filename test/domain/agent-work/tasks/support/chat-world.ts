import { and, asc, eq, lt, sql } from "drizzle-orm";
import { chats, messages, tasks } from "#src/db/schema/index.ts";
import {
  cancelTask,
  type ClaimedTask,
  followUpTask,
  isTerminal,
  resumeTask,
  startTask,
  sweepTasks,
} from "#src/domain/agent-work/tasks/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { newApiKey } from "#test/domain/programs/support/new-api-key.ts";
import { newColleague, newProject } from "#test/support/colleagues.ts";
import { fieldsOf } from "#test/support/fields.ts";
import { messageToAgent, NO_AGENT_LIMITS } from "#test/support/message-to-agent.ts";
import { type History, InterleavedService } from "./interleaved-service.ts";

/** A chat, and a key whose requests may be repeated. */
export async function newChat(db: Db) {
  const { id: userId, caller } = await newColleague(db);
  const { id: projectId, teamId } = await newProject(db, { caller });
  const { key } = await newApiKey(db, { caller });
  const chatId = crypto.randomUUID();
  await db.insert(chats).values({ id: chatId, userId, projectId, origin: "api" });
  return { userId, projectId, teamId, apiKeyId: key.id, chatId };
}

export type Chat = Awaited<ReturnType<typeof newChat>>;

/**
 * One chat, with all that may happen to it: messages are sent, tasks executed, cancelled, given up by executors that die or fall
 * silent.
 */
export class ChatWorld extends InterleavedService {
  readonly #chat: Chat;
  readonly #acknowledged = new Set<string>();
  readonly #begun: string[] = [];
  readonly #problems: string[] = [];

  constructor(db: Db, chat: Chat, seed: number) {
    super(db, seed);
    this.#chat = chat;
  }

  get #deps() {
    return {
      ...this.base,
      config: { DEFAULT_MODEL: "demo", ...NO_AGENT_LIMITS },
      modelSettings: { platformModels: ["demo"] },
    };
  }

  /** A program sends a message, and again with the same key while it does not hear that it was taken. */
  #send(key = crypto.randomUUID()): void {
    const again = () => this.#send(key);
    const { chatId, ...who } = this.#chat;
    const source = { kind: "api", idempotency: { key } } as const;
    const message = messageToAgent({ ...who, chat: { kind: "named", id: chatId }, source });
    const request = async () => {
      const { taskId } = await startTask(this.#deps, message);
      this.#acknowledged.add(taskId);
    };
    this.programs.start(request, (failure) => failure !== undefined && again(), again);
  }

  #cancel(): void {
    const ids = [...this.#acknowledged];
    const id = ids[this.random.whole(0, ids.length - 1)];
    if (id === undefined) return;
    this.startAlone(async () => {
      const [task] = await this.db.select().from(tasks).where(eq(tasks.id, id));
      if (task) await cancelTask(this.#deps, task);
    });
  }

  #sweep(): void {
    this.startAlone(() => sweepTasks(this.#deps));
  }

  /** Ten seconds without any other step; what was due in them happens. */
  async #wait(): Promise<void> {
    this.logs.now += 10_000;
    await this.db
      .update(tasks)
      .set({ createdAt: sql`created_at - interval '10 seconds'` })
      .where(eq(tasks.chatId, this.#chat.chatId));
    await this.logs.look();
  }

  override async handle({ function: name, payload }: QueueMessage): Promise<unknown> {
    const { taskId: id, step } = fieldsOf(payload);
    const taskId = String(id);
    if (name === "agent-step") return this.execute(taskId, Number(step));
    if (name === "resume-task") return resumeTask(this.#deps, taskId);
    if (name === "task-finished") return followUpTask(this.#deps, taskId);
    throw new Error(`No function is named ${name}`);
  }

  override async begin({ task }: ClaimedTask, { history }: { history: History }): Promise<boolean> {
    // At once: while the check asks, the task may be cancelled, and the next one begin.
    this.#begun.push(task.id);
    await this.#checkTurn(task.seq, history);
    return false;
  }

  /** When a turn begins, every task before it is over, and the history holds all of them and nothing else. */
  async #checkTurn(seq: number, history: History): Promise<void> {
    await this.programs.outside(async () => {
      const inChat = eq(tasks.chatId, this.#chat.chatId);
      const before = await this.db
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

  async run(): Promise<void> {
    const sends = this.random.whole(2, 6);
    for (let sent = 0, steps = 0; steps < 120; steps += 1) {
      const drawn = this.random.whole(1, 100);
      if (this.programs.isBusy && drawn <= 70) {
        await this.programs.step({ crash: this.random.chance(0.08) });
      } else if (sent < sends && drawn <= 80) {
        this.#send();
        sent += 1;
      } else if (drawn <= 90) this.deliver();
      else if (drawn <= 93) this.#cancel();
      else if (drawn <= 96) this.#sweep();
      else await this.#wait();
    }
    await this.#comeToRest();
  }

  /** Without further failures, every remaining task ends. */
  async #comeToRest(): Promise<void> {
    for (let round = 0; round < 60; round += 1) {
      await this.finishPrograms();
      if ((await this.#isAtRest()) && this.isQueueEmpty) return;
      if (this.dueCount > 0) this.deliver();
      else this.#sweep();
      await this.finishPrograms();
      await this.#wait();
    }
  }

  async #isAtRest(): Promise<boolean> {
    const all = await this.db.select().from(tasks).where(eq(tasks.chatId, this.#chat.chatId));
    return all.every(({ id, status }) => isTerminal(status) && this.#isClosed(id));
  }

  #isClosed(taskId: string): boolean {
    return this.logs.lastEvents(taskId)?.at(-1)?.type === "done";
  }

  /** What became of the chat, for a test to judge. */
  async outcome() {
    const { chatId } = this.#chat;
    const all = await this.db.select().from(tasks).where(eq(tasks.chatId, chatId)).orderBy(asc(tasks.seq));
    const [chat] = await this.db.select().from(chats).where(eq(chats.id, chatId));
    const said = await this.db.select().from(messages).where(eq(messages.chatId, chatId));
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
