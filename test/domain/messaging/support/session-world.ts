import { and, eq, isNull, sql, type SQL } from "drizzle-orm";
import { z } from "zod";
import type { ChannelApi, OutgoingText } from "#src/channels/channel.ts";
import { isAsking, requestApproval } from "#src/domain/agent-work/approvals/index.ts";
import { adapters } from "#src/channels/index.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { approvals, tasks } from "#src/db/schema/index.ts";
import {
  advanceSession,
  advanceSessions,
  type ConversationDeps,
} from "#src/domain/conversations/sessions/index.ts";
import { deliverMessage, replyToTask, sendApprovalCards } from "#src/domain/messaging/deliveries/index.ts";
import { receiveEvents, eventsReceived, sweepInbox } from "#src/domain/messaging/inbox/index.ts";
import {
  followUpTask,
  goOn,
  publishQuestions,
  resumeTask,
  sweepTasks,
  type ClaimedTask,
} from "#src/domain/agent-work/tasks/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { executeJob } from "#src/work/execute.ts";
import { sweepJobs } from "#src/work/sweep.ts";
import { InterleavedService } from "#test/domain/agent-work/tasks/support/interleaved-service.ts";
import { partOf } from "#test/support/part-of.ts";
import { CONVERSATION_PARTS, privateMessage } from "./conversation-parts.ts";
import type { LinkedChannel } from "./people-of-platforms.ts";
import { outcomeOf } from "./session-outcome.ts";

const Payload = z.object({ taskId: z.string(), step: z.number(), key: z.string() }).partial();

/**
 * One session with all that may happen to it: messages and commands arrive, twice and while others are handled; executors and
 * senders die at any call to the outside; the platform fails with and without having sent. The agent only repeats what it was
 * told.
 */
export class SessionWorld extends InterleavedService {
  readonly #at: LinkedChannel;
  /** Texts that the platform was told are taken, and those before them when they were sent first. */
  readonly #taken: string[] = [];
  readonly #before = new Map<string, readonly string[]>();
  #sent = 0;
  #isCalm = false;
  /** What the platform shows to the person, in its order. */
  readonly shown: string[] = [];

  constructor(db: Db, at: LinkedChannel, seed: number) {
    super(db, seed);
    this.#at = at;
  }

  get #deps(): ConversationDeps & Parameters<typeof receiveEvents>[0] {
    const api: ChannelApi = {
      identify: async () => ({ botId: "1", botName: "bot" }),
      directPlace: async (chatId) => ({ chatId, chatType: "dm", threadId: undefined }),
      send: (message) => this.point(async () => this.#show(message)),
    };
    return partOf({
      ...CONVERSATION_PARTS,
      ...this.base,
      channels: { telegram: { ...adapters.telegram, api: () => api } },
      deliveryStream: { append: () => this.point(async () => {}), bury: async () => {} },
    });
  }

  /** The platform is asked to show a text; it may fail before or after it does. */
  async #show({ text }: OutgoingText): Promise<{ messageId: string }> {
    const drawn = this.#isCalm ? 100 : this.random.whole(1, 100);
    if (drawn <= 5) throw new PlatformFailure("busy", "Too many requests", { retryAfterSeconds: 3 });
    if (drawn <= 8) throw new PlatformFailure("unreachable", "The platform failed");
    this.shown.push(text.plain);
    if (drawn <= 12) throw new PlatformFailure("unreachable", "No answer", { mayHaveHappened: true });
    return { messageId: String(this.shown.length) };
  }

  /** The platform delivers a message, and again while it does not hear that it was taken. */
  #send(text: string, number = (this.#sent += 1)): void {
    if (!this.#before.has(text)) this.#before.set(text, [...this.#taken]);
    const again = () => this.#send(text, number);
    const { channel, senderId } = this.#at;
    const request = async () => {
      await receiveEvents(this.#deps, channel, [privateMessage(senderId, number, { text })]);
      if (!this.#taken.includes(text)) this.#taken.push(text);
    };
    this.programs.start(
      request,
      (failure) => (failure !== undefined || this.random.chance(0.1)) && again(),
      again,
    );
  }

  #sweep(): void {
    this.startAlone(async () => {
      await sweepTasks(this.#deps);
      await sweepInbox(this.#deps);
      await sweepJobs(this.#deps, [deliverMessage.name]);
    });
  }

  /** Some seconds without any other step; what was due in them happens. */
  async #wait(seconds = 10): Promise<void> {
    this.logs.now += seconds * 1_000;
    const { channel, userId } = this.#at;
    const age = (table: string, of: SQL, ...columns: string[]) => {
      const set = columns.map((name) => `${name} = ${name} - interval '${seconds} seconds'`).join(", ");
      return this.db.execute(sql`UPDATE ${sql.identifier(table)} SET ${sql.raw(set)} WHERE ${of}`);
    };
    const ofChannel = sql`channel_config_id = ${channel.id}`;
    await age("tasks", sql`user_id = ${userId}`, "created_at", "completed_at");
    await age("approvals", sql`true`, "answered_at");
    await age("channel_events", ofChannel, "created_at");
    await age("jobs", sql`kind = ${deliverMessage.name}`, "due_at", "lease_until");
    await age("channel_sessions", ofChannel, "last_active_at");
    await this.logs.look();
  }

  override async handle({ function: name, payload }: QueueMessage): Promise<unknown> {
    if (name === "show-progress") return undefined;
    const { taskId = "", step = 0, key = "" } = Payload.parse(payload);
    const deps = this.#deps;
    if (name === "agent-step") return this.execute(taskId, step);
    if (name === "resume-task") return resumeTask(deps, taskId);
    if (name === "task-finished") return followUpTask(deps, taskId);
    if (name === "receive-message") return advanceSessions(deps, eventsReceived.message.parse(payload));
    if (name === deliverMessage.name) return executeJob(deps, deliverMessage, key);
    if (name === "send-questions") return sendApprovalCards(deps, taskId);
    if (name !== "send-reply") throw new Error(`No function is named ${name}`);
    const reply = await replyToTask(deps, taskId);
    return reply?.isWaiting ? advanceSession(deps, reply) : undefined;
  }

  /** A task that was told to ask waits for its approval: its step ends with the question. */
  override async begin(
    { task, kind, chat }: ClaimedTask,
    { generation }: { generation: number },
  ): Promise<boolean> {
    if (!task.message.includes("ask")) return false;
    const deps = this.#deps;
    const call = { taskId: task.id, iteration: 1, callId: "call", tool: "bash_exec", parameters: {} };
    const config = { APPROVAL_EXPIRE_HOURS: 72 };
    const isAllowed = chat.allowedTools.includes(call.tool);
    const verdict = await requestApproval({ db: deps.db, config }, call, isAllowed);
    if (verdict.kind !== "open") return false;
    await publishQuestions(deps, { ...task, kind });
    await deps.taskLogs.park(task.id, generation, this.logs.now + 72 * 3_600_000);
    if (!(await isAsking(deps.db, task.id))) await goOn(deps, task);
    return true;
  }

  async run(): Promise<void> {
    const sends = this.random.whole(3, 8);
    for (let sent = 0, steps = 0; steps < 160; steps += 1) {
      const drawn = this.random.whole(1, 100);
      if (this.programs.isBusy && drawn <= 72) {
        await this.programs.step({ crash: this.random.chance(0.04) });
      } else if (sent < sends && drawn <= 80) {
        sent += 1;
        if (this.random.chance(0.15)) this.#send(this.#command());
        else this.#send(`${this.random.chance(0.3) ? "ask" : "say"}-${sent}`);
      } else if (drawn <= 83) {
        await this.#press();
      } else if (drawn <= 92) this.deliver();
      else if (drawn <= 95) this.#sweep();
      else await this.#wait(this.random.chance(0.1) ? 7_200 : 10);
    }
    await this.#comeToRest();
  }

  #command(): string {
    return ["/new", "/status", "/approve", "/deny"][this.random.whole(0, 3)] ?? "/help";
  }

  /** The person presses a button of one of the questions so far, or of those that are open. */
  async #press(which: "any" | "open" = "any"): Promise<void> {
    const isOpen = which === "open" ? isNull(approvals.response) : undefined;
    const questions = await this.db
      .select({ id: approvals.id })
      .from(approvals)
      .innerJoin(tasks, eq(tasks.id, approvals.taskId))
      .where(and(eq(tasks.userId, this.#at.userId), isOpen));
    const question = questions[this.random.whole(0, questions.length - 1)];
    if (!question) return;
    const choice = ["allow_once", "allow_all", "stop"][this.random.whole(0, 2)] ?? "stop";
    const { channel, senderId } = this.#at;
    this.#sent += 1;
    const id = `${senderId}:click:${this.#sent}`;
    const press = (): void =>
      this.programs.start(
        () =>
          receiveEvents(this.#deps, channel, [
            {
              kind: "click",
              id,
              place: { chatId: senderId, chatType: "dm", threadId: undefined },
              sender: { id: senderId, alternateId: undefined, name: "Ada" },
              data: `approve:${question.id}:${choice}`,
              messageId: "1",
              confirmation: undefined,
            },
          ]),
        (failure) => failure !== undefined && press(),
        press,
      );
    press();
  }

  /** Without further failures everything is handled and sent. */
  async #comeToRest(): Promise<void> {
    this.#isCalm = true;
    for (let round = 0; round < 80; round += 1) {
      await this.finishPrograms();
      if ((await this.#isAtRest()) && this.isQueueEmpty) return;
      // The person answers in the end what was left open, by its button: a command answers those of the session's chat, and a
      // question may be of a chat that the session has left. What was pressed is handled before it is pressed again.
      if (round % 5 === 4) await this.#press("open");
      const due = this.dueCount;
      if (due === 0) this.#sweep();
      for (let delivered = 0; delivered < due; delivered += 1) {
        this.deliver();
        await this.finishPrograms();
      }
      await this.finishPrograms();
      await this.#wait(40);
    }
  }

  async #isAtRest(): Promise<boolean> {
    const { open, unsent, unfinished, replies, messagesOfTasks } = await this.outcome();
    // A reply whose message the queue has given up has no row yet: a sweep finds it.
    const isReplied = replies.length >= messagesOfTasks.length;
    return open.length === 0 && unsent.length === 0 && unfinished.length === 0 && isReplied;
  }

  /** What became of the session, for a test to judge. */
  outcome() {
    return outcomeOf(this.db, this.#at, { taken: this.#taken, before: this.#before, shown: this.shown });
  }
}
