import { neonConfig } from "@neondatabase/serverless";
import { and, eq, isNull, sql } from "drizzle-orm";
import { z } from "zod";
import type { ChannelApi, OutgoingText } from "#src/channels/channel.ts";
import { isAsking, requestApproval } from "#src/domain/agent-work/approvals/index.ts";
import { adapters } from "#src/channels/index.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { approvals, channelEvents, channelMessages, channelSessions, tasks } from "#src/db/schema/index.ts";
import {
  advanceSession,
  advanceSessions,
  type ConversationDeps,
} from "#src/domain/messaging/conversations/index.ts";
import {
  deliverMessage,
  replyToTask,
  sendApprovalCards,
  sweepOutbox,
} from "#src/domain/messaging/deliveries/index.ts";
import { receiveEvents, eventsReceived, sweepInbox } from "#src/domain/messaging/inbox/index.ts";
import {
  claimTask,
  closeTask,
  endOfStopped,
  finishTask,
  followUpTask,
  goOn,
  publishQuestions,
  resumeTask,
  sweepTasks,
  type ClaimedTask,
} from "#src/domain/agent-work/tasks/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { createLog } from "#src/platform/log/log.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { NO_EVENT_LIMITS } from "#test/support/event-limits.ts";
import { DEFAULT_CEILINGS } from "#test/support/ceilings.ts";
import { Interleaving } from "#test/support/interleaving.ts";
import { MemoryTaskLogs } from "#test/support/memory-task-logs.ts";
import { NO_AGENT_LIMITS } from "#test/support/message-to-agent.ts";
import { seeded, type Random } from "#test/support/random.ts";
import { partOf } from "#test/support/part-of.ts";
import type { LinkedChannel } from "./linked-channel.ts";
import { outcomeOf } from "./session-outcome.ts";
import { MemoryDeliveryStream } from "./memory-delivery-stream.ts";

/** Deliveries of a message that fail before the queue gives it up, as QStash does by default. */
const DELIVERIES = 4;
/** Milliseconds within which the queue takes a second message of the same name for the first. */
const DEDUPLICATION_MS = 600_000;

const Payload = z.object({ taskId: z.string(), step: z.number(), messageId: z.string() }).partial();

interface Delivery {
  message: QueueMessage;
  failed: number;
  isRunning: boolean;
  dueAt: number;
}

/**
 * One session with all that may happen to it: messages and commands arrive, twice and while others are handled; executors and
 * senders die at any call to the outside; the platform fails with and without having sent. What the service does is its own
 * code with a real database; the agent only repeats what it was told.
 */
export class SessionWorld {
  readonly #db: Db;
  readonly #random: Random;
  readonly #programs: Interleaving;
  readonly #logs: MemoryTaskLogs;
  readonly #at: LinkedChannel;
  readonly #published = new Map<string, number>();
  readonly #stream = new MemoryDeliveryStream();
  #queue: Delivery[] = [];
  /** Texts that the platform was told are taken, and those before them when they were sent first. */
  readonly #taken: string[] = [];
  readonly #before = new Map<string, readonly string[]>();
  #sent = 0;
  /** What the platform shows to the person, in its order. */
  readonly shown: string[] = [];

  constructor(db: Db, at: LinkedChannel, seed: number) {
    this.#db = db;
    this.#random = seeded(seed);
    this.#programs = new Interleaving(this.#random);
    this.#at = at;
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

  get #deps(): ConversationDeps & Parameters<typeof receiveEvents>[0] {
    const point = <T>(act: () => Promise<T>) => this.#programs.point(act);
    const publish = (message: QueueMessage) => point(async () => this.#accept(message));
    const api: ChannelApi = {
      identify: async () => ({ botId: "1", botName: "bot" }),
      directPlace: async (chatId) => ({ chatId, chatType: "dm", threadId: undefined }),
      send: (message) => point(async () => this.#show(message)),
    };
    return partOf({
      db: this.#db,
      log: { ...createLog(), warn: () => {}, error: () => {} },
      taskLogs: this.#logs.through(point),
      queue: {
        publish,
        publishBatch: async (several: readonly QueueMessage[]) => {
          for (const message of several) await publish(message);
        },
        answers: async () => true,
      },
      channels: { telegram: { ...adapters.telegram, api: () => api } },
      rateLimits: NO_EVENT_LIMITS,
      apiEnvironment: {},
      channelSecrets: { encrypt: async (text: string) => text, decrypt: async (text: string) => text },
      deliveryStream: this.#stream.through(point, () => this.#logs.now),
      config: {
        ...DEFAULT_CEILINGS,
        DEFAULT_MODEL: "demo",
        ...NO_AGENT_LIMITS,
        GATEWAY_NUM_SHARDS: 1,
        GATEWAY_SESSION_IDLE_MINUTES: 60,
        GATEWAY_PAIRING_CODE_TTL: 3600,
        GATEWAY_PAIRING_MAX_PENDING: 3,
        GATEWAY_PAIRING_RATE_LIMIT_MINUTES: 10,
        PUBLIC_URL: "https://service.test",
      },
      modelSettings: { platformModels: ["demo"] },
    });
  }

  #accept(message: QueueMessage): void {
    const name = message.deduplicationId ?? crypto.randomUUID();
    const before = this.#published.get(name);
    if (before !== undefined && before + DEDUPLICATION_MS > this.#logs.now) return;
    this.#published.set(name, this.#logs.now);
    const dueAt = this.#logs.now + (message.delaySeconds ?? 0) * 1_000;
    this.#queue.push({ message, failed: 0, isRunning: false, dueAt });
  }

  /** The platform is asked to show a text; it may fail before or after it does. */
  async #show({ text }: OutgoingText): Promise<{ messageId: string }> {
    const drawn = this.#isCalm ? 100 : this.#random.whole(1, 100);
    if (drawn <= 5) throw new PlatformFailure("busy", "Too many requests", { retryAfterSeconds: 3 });
    if (drawn <= 8) throw new PlatformFailure("unreachable", "The platform failed");
    this.shown.push(text.plain);
    if (drawn <= 12) throw new PlatformFailure("unreachable", "No answer", { mayHaveHappened: true });
    return { messageId: String(this.shown.length) };
  }

  #isCalm = false;

  /** The platform delivers a message, and again while it does not hear that it was taken. */
  #send(text: string, number = (this.#sent += 1)): void {
    if (!this.#before.has(text)) this.#before.set(text, [...this.#taken]);
    const again = () => this.#send(text, number);
    const { channel, senderId } = this.#at;
    const request = async () => {
      await receiveEvents(this.#deps, channel, [
        {
          kind: "message",
          id: `${senderId}:${number}`,
          messageId: String(number),
          replyTarget: undefined,
          place: { chatId: senderId, chatType: "dm", threadId: undefined },
          sender: { id: senderId, alternateId: undefined, name: "Ada" },
          text,
          isAddressed: true,
          media: [],
          replyTo: undefined,
          sentAt: undefined,
        },
      ]);
      if (!this.#taken.includes(text)) this.#taken.push(text);
    };
    this.#programs.start(
      request,
      (failure) => (failure !== undefined || this.#random.chance(0.1)) && again(),
      again,
    );
  }

  /** The queue delivers one of its messages. */
  #deliver(): void {
    const waiting = this.#queue.filter(({ isRunning, dueAt }) => !isRunning && dueAt <= this.#logs.now);
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
        if (await this.#run(delivery.message)) throw new Error("later");
      },
      (failure) => {
        if (failure !== undefined) return fail();
        delivery.isRunning = false;
        // At least once.
        if (!this.#random.chance(0.1)) this.#drop(delivery);
      },
      fail,
    );
  }

  #drop(delivery: Delivery): void {
    this.#queue = this.#queue.filter((each) => each !== delivery);
  }

  #sweep(): void {
    this.#programs.start(
      async () => {
        await sweepTasks(this.#deps);
        await sweepInbox(this.#deps);
        await sweepOutbox(this.#deps);
      },
      () => {},
      () => {},
    );
  }

  /** Some seconds without any other step; what was due in them happens. */
  async #wait(seconds = 10): Promise<void> {
    this.#logs.now += seconds * 1_000;
    const earlier = (column: string) => sql.raw(`${column} - interval '${seconds} seconds'`);
    const { channel, userId } = this.#at;
    await this.#db
      .update(tasks)
      .set({ createdAt: earlier("created_at"), completedAt: earlier("completed_at") })
      .where(eq(tasks.userId, userId));
    await this.#db.update(approvals).set({ answeredAt: earlier("answered_at") });
    await this.#db
      .update(channelEvents)
      .set({ createdAt: earlier("created_at") })
      .where(eq(channelEvents.channelConfigId, channel.id));
    await this.#db
      .update(channelMessages)
      .set({
        createdAt: earlier("created_at"),
        nextAttemptAt: earlier("next_attempt_at"),
      })
      .where(eq(channelMessages.channelConfigId, channel.id));
    await this.#db
      .update(channelSessions)
      .set({ lastActiveAt: earlier("last_active_at") })
      .where(eq(channelSessions.channelConfigId, channel.id));
    await this.#logs.look();
  }

  async #run({ function: name, payload }: QueueMessage): Promise<unknown> {
    if (name === "show-progress") return undefined;
    const { taskId = "", step = 0, messageId = "" } = Payload.parse(payload);
    const deps = this.#deps;
    if (name === "agent-step") return this.#execute(taskId, step);
    if (name === "resume-task") return resumeTask(deps, taskId);
    if (name === "task-finished") return followUpTask(deps, taskId);
    if (name === "receive-message") return advanceSessions(deps, eventsReceived.message.parse(payload));
    if (name === "deliver-message") return deliverMessage(deps, messageId);
    if (name === "send-questions") return sendApprovalCards(deps, taskId);
    if (name !== "send-reply") throw new Error(`No function is named ${name}`);
    const reply = await replyToTask(deps, taskId);
    return reply?.isWaiting ? advanceSession(deps, reply) : undefined;
  }

  /** As `runStep`, with turns that only take their time. */
  async #execute(taskId: string, step: number): Promise<"later" | undefined> {
    const deps = this.#deps;
    const begun = await deps.taskLogs.begin(taskId, step);
    if (begun.kind === "skip") return undefined;
    if (begun.kind === "busy") return "later";
    const { generation } = begun;
    const nothing = { turn: undefined, call: undefined, totalUsage: undefined };
    const ending = { taskId, generation, iterations: 0, toolCalls: 0, ...nothing };
    const claim = await claimTask(deps.db, taskId, generation);
    if (!claim.claimed || !claim.current) {
      await closeTask(deps, ending);
      return undefined;
    }
    if (begun.kind === "exhausted") {
      const failed = { status: "failed", response: null, completionReason: "exhausted" } as const;
      await finishTask(deps, ending, { ...failed, error: claim.current.task.message });
      return undefined;
    }
    if (!begun.stop && (await this.#isWaiting(claim.current, generation))) return undefined;
    let stop = begun.stop;
    for (let turn = this.#random.whole(0, 3); turn > 0 && !stop; turn -= 1) {
      const control = await deps.taskLogs.ping(taskId, generation);
      if (control.stale) return undefined;
      stop = control.stop;
    }
    const { message } = claim.current.task;
    await finishTask(
      deps,
      ending,
      stop ? endOfStopped(stop, null) : { status: "completed", response: message, completionReason: "done" },
    );
    return undefined;
  }

  /** Whether a task that was told to ask waits for its approval: then its step has ended. */
  async #isWaiting({ task, chat }: ClaimedTask, generation: number): Promise<boolean> {
    if (!task.message.includes("ask")) return false;
    const deps = this.#deps;
    const call = { taskId: task.id, iteration: 1, callId: "call", tool: "bash_exec", parameters: {} };
    const config = { APPROVAL_EXPIRE_HOURS: 72 };
    const verdict = await requestApproval(
      { db: deps.db, config },
      call,
      chat.allowedTools.includes(call.tool),
    );
    if (verdict.kind !== "open") return false;
    await publishQuestions(deps, task);
    await deps.taskLogs.park(task.id, generation, this.#logs.now + 72 * 3_600_000);
    if (!(await isAsking(deps.db, task.id))) await goOn(deps, task);
    return true;
  }

  async run(): Promise<void> {
    const sends = this.#random.whole(3, 8);
    for (let sent = 0, steps = 0; steps < 160; steps += 1) {
      const drawn = this.#random.whole(1, 100);
      if (this.#programs.isBusy && drawn <= 72) {
        await this.#programs.step({ crash: this.#random.chance(0.06) });
      } else if (sent < sends && drawn <= 80) {
        sent += 1;
        if (this.#random.chance(0.15)) this.#send(this.#command());
        else this.#send(`${this.#random.chance(0.3) ? "ask" : "say"}-${sent}`);
      } else if (drawn <= 83) {
        await this.#press();
      } else if (drawn <= 92) this.#deliver();
      else if (drawn <= 95) this.#sweep();
      else await this.#wait(this.#random.chance(0.1) ? 7_200 : 10);
    }
    await this.#comeToRest();
  }

  #command(): string {
    return ["/new", "/status", "/approve", "/deny"][this.#random.whole(0, 3)] ?? "/help";
  }

  /** The person presses a button of one of the questions so far, or of those that are open. */
  async #press(which: "any" | "open" = "any"): Promise<void> {
    const isOpen = which === "open" ? isNull(approvals.response) : undefined;
    const questions = await this.#db
      .select({ id: approvals.id })
      .from(approvals)
      .innerJoin(tasks, eq(tasks.id, approvals.taskId))
      .where(and(eq(tasks.userId, this.#at.userId), isOpen));
    const question = questions[this.#random.whole(0, questions.length - 1)];
    if (!question) return;
    const choice = ["allow_once", "allow_all", "stop"][this.#random.whole(0, 2)] ?? "stop";
    const { channel, senderId } = this.#at;
    this.#sent += 1;
    const id = `${senderId}:click:${this.#sent}`;
    const press = (): void =>
      this.#programs.start(
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
      while (this.#programs.isBusy) await this.#programs.step({ crash: false });
      if ((await this.#isAtRest()) && this.#queue.length === 0) return;
      // The person answers in the end what was left open, by its button: a command answers those of the session's chat, and a
      // question may be of a chat that the session has left. What was pressed is handled before it is pressed again.
      if (round % 5 === 4) await this.#press("open");
      const due = this.#queue.filter(({ isRunning, dueAt }) => !isRunning && dueAt <= this.#logs.now).length;
      if (due === 0) this.#sweep();
      for (let delivered = 0; delivered < due; delivered += 1) {
        this.#deliver();
        while (this.#programs.isBusy) await this.#programs.step({ crash: false });
      }
      while (this.#programs.isBusy) await this.#programs.step({ crash: false });
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
    return outcomeOf(this.#db, this.#at, { taken: this.#taken, before: this.#before, shown: this.shown });
  }
}
