import { neonConfig } from "@neondatabase/serverless";
import {
  claimTask,
  closeTask,
  endOfStopped,
  finishTask,
  type ClaimedTask,
} from "#src/domain/agent-work/tasks/index.ts";
import { eventsReceived } from "#src/domain/messaging/inbox/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { createLog } from "#src/platform/log/log.ts";
import { FOLLOW_UPS } from "#src/follow-ups.ts";
import type { BegunStep, TaskLogs } from "#src/platform/objects/task-logs.ts";
import { hastening, type QueueMessage } from "#src/platform/queue/queue.ts";
import { beside } from "#src/work/beside.ts";
import { Interleaving } from "#test/support/interleaving.ts";
import { MemoryTaskLogs } from "#test/support/memory-task-logs.ts";
import { partOf } from "#test/support/part-of.ts";
import { seeded, type Random } from "#test/support/random.ts";

/** Deliveries of a message that fail before the queue gives it up, as QStash does by default. */
const DELIVERIES = 4;
/** Milliseconds within which the queue takes a second message of the same name for the first. */
const DEDUPLICATION_MS = 600_000;

/** With more programs at once, each would wait longer for its turn here than any lease lasts. */
const MOST_BESIDE = 2;

export type History = Awaited<ReturnType<typeof claimTask>>["history"];

interface Delivery {
  message: QueueMessage;
  failed: number;
  isRunning: boolean;
  dueAt: number;
}

/**
 * The queue, the logs of tasks and the executors of a service whose programs run at once, die at any call to the outside and
 * fall silent. The queue delivers late, again, in any order, and gives messages up. What the service does is its own code, with
 * a real database; only the turns of the agent are empty.
 */
export abstract class InterleavedService {
  protected readonly db: Db;
  protected readonly random: Random;
  protected readonly programs: Interleaving;
  protected readonly logs: MemoryTaskLogs;
  /** Of one step. */
  protected readonly mostTurns: number = 2;
  readonly #published = new Map<string, number>();
  #queue: Delivery[] = [];
  /** How many programs do what messages say beside a request. */
  #beside = 0;

  constructor(db: Db, seed: number) {
    this.db = db;
    this.random = seeded(seed);
    this.programs = new Interleaving(this.random);
    // Every trip to the database is a point, too; its answer is read within it.
    neonConfig.fetchFunction = (url: string, init: RequestInit) =>
      this.point(async () => {
        const answer = await fetch(url, init);
        return new Response(await answer.text(), answer);
      });
    this.logs = new MemoryTaskLogs(
      this.#queueThrough((act) => act()),
      { executeStep: (step) => this.#executeHere(step) },
    );
  }

  protected readonly point = <T>(act: () => Promise<T>): Promise<T> => this.programs.point(act);

  /** What all of the service takes; each call to the outside is a point. */
  protected get base() {
    return {
      db: this.db,
      log: { ...createLog(), warn: () => {}, error: () => {} },
      taskLogs: partOf<TaskLogs>(this.logs.through(this.point)),
      queue: hastening(this.#queueThrough(this.point), (message) => this.#doAtOnce(message)),
      followUps: FOLLOW_UPS,
    };
  }

  /**
   * An executor does what its message says itself, unless it has no room for it, fails at it, or it is to be done later. What a
   * platform sent is done beside the request that heard of it.
   */
  async #doAtOnce(message: QueueMessage): Promise<void> {
    const queue = this.#queueThrough(this.point);
    const isDone = async () => this.random.chance(0.7) && !(await this.handle(message).catch(() => true));
    if (message.function === eventsReceived.name) {
      return beside({ queue, waitUntil: (work) => void work }, message, () => this.#elsewhere(isDone));
    }
    if (!(await isDone())) await queue.publish(message);
  }

  /** Acts in a program of its own, where there is room. Its caller never hears of a program that died. */
  #elsewhere(act: () => Promise<boolean>): Promise<boolean> {
    if (this.#beside >= MOST_BESIDE) return Promise.resolve(false);
    this.#beside += 1;
    return new Promise((resolve) => {
      let isDone = false;
      const over = () => void (this.#beside -= 1);
      const end = () => {
        over();
        resolve(isDone);
      };
      this.programs.start(async () => void (isDone = await act()), end, over);
    });
  }

  #queueThrough(point: <T>(act: () => Promise<T>) => Promise<T>) {
    const publish = (message: QueueMessage) => point(async () => this.#accept(message));
    return {
      publish,
      publishBatch: async (several: readonly QueueMessage[]) => {
        for (const message of several) await publish(message);
      },
      ensureSchedule: async () => {},
      answers: async () => true,
    };
  }

  #accept(message: QueueMessage): void {
    const name = message.deduplicationId ?? crypto.randomUUID();
    const before = this.#published.get(name);
    if (before !== undefined && before + DEDUPLICATION_MS > this.logs.now) return;
    this.#published.set(name, this.logs.now);
    const dueAt = this.logs.now + (message.delaySeconds ?? 0) * 1_000;
    this.#queue.push({ message, failed: 0, isRunning: false, dueAt });
  }

  protected get isQueueEmpty(): boolean {
    return this.#queue.length === 0;
  }

  /** How many messages the queue may deliver now. */
  protected get dueCount(): number {
    return this.#due().length;
  }

  #due(): Delivery[] {
    return this.#queue.filter(({ isRunning, dueAt }) => !isRunning && dueAt <= this.logs.now);
  }

  /** Does what a message says. Its result is falsy, unless the queue is to deliver it again. */
  protected abstract handle(message: QueueMessage): Promise<unknown>;

  /** The queue delivers one of its messages. */
  protected deliver(): void {
    const waiting = this.#due();
    const delivery = waiting[this.random.whole(0, waiting.length - 1)];
    if (!delivery) return;
    delivery.isRunning = true;
    const drop = () => void (this.#queue = this.#queue.filter((each) => each !== delivery));
    const fail = () => {
      delivery.isRunning = false;
      delivery.failed += 1;
      if (delivery.failed === DELIVERIES) drop();
    };
    this.programs.start(
      async () => {
        if (await this.handle(delivery.message)) throw new Error("later");
      },
      (failure) => {
        if (failure !== undefined) return fail();
        delivery.isRunning = false;
        // At least once: the queue may not have heard that it was done.
        if (!this.random.chance(0.1)) drop();
      },
      fail,
    );
  }

  /** Starts a program that nobody waits for. */
  protected startAlone(act: () => Promise<unknown>): void {
    this.programs.start(
      act,
      () => {},
      () => {},
    );
  }

  protected async finishPrograms(): Promise<void> {
    while (this.programs.isBusy) await this.programs.step({ crash: false });
  }

  /** An executor has a task, before its turns. True where its step ends with that. */
  protected abstract begin(
    claimed: ClaimedTask,
    at: { generation: number; history: History },
  ): Promise<boolean>;

  /**
   * A step that its task's log begins by itself: an isolate that has no room for it, an executor, one that dies, or one that
   * dies with the log's object, which then does not hear of it.
   */
  #executeHere({ taskId, begun }: BegunStep): Promise<"done" | "full"> {
    if (this.random.chance(0.2)) return Promise.resolve("full");
    return new Promise((resolve, reject) => {
      this.programs.start(
        () => this.#executeBegun(taskId, begun),
        (failure) =>
          failure === undefined ? resolve("done") : reject(new Error("failed", { cause: failure })),
        () => this.random.chance(0.5) && reject(new Error("died")),
      );
    });
  }

  /** As `runStep`, with turns that only take their time. True where another executor is at it. */
  protected async execute(taskId: string, step: number): Promise<boolean> {
    const begun = await this.base.taskLogs.begin(taskId, step);
    if (begun.kind === "skip" || begun.kind === "busy") return begun.kind === "busy";
    return this.#executeBegun(taskId, begun);
  }

  async #executeBegun(taskId: string, begun: BegunStep["begun"]): Promise<boolean> {
    const deps = this.base;
    const { generation } = begun;
    const ending = idle(taskId, generation);
    const { claimed, current, history } = await claimTask(this.db, taskId, generation);
    if (!claimed || !current) {
      await closeTask(deps, ending);
      return false;
    }
    if (begun.kind === "exhausted") {
      const failed = { status: "failed", response: null, completionReason: "exhausted" } as const;
      await finishTask(deps, ending, { ...failed, error: "It made no progress" });
      return false;
    }
    // A task whose cancellation was requested by a program that died ends without a turn.
    let { stop } = begun;
    if (!stop && (await this.begin(current, { generation, history }))) return false;
    for (let turn = this.random.whole(0, this.mostTurns); turn > 0 && !stop; turn -= 1) {
      const control = await deps.taskLogs.ping(taskId, generation);
      if (control.stale) return false;
      stop = control.stop;
    }
    const end = stop ? endOfStopped(stop, null) : completed(current.task.message);
    await finishTask(deps, ending, end);
    return false;
  }
}

/** What an executor without a turn ends a task with. */
export function idle(taskId: string, generation: number) {
  const nothing = { turn: undefined, call: undefined, totalUsage: undefined };
  return { taskId, generation, iterations: 0, toolCalls: 0, ...nothing };
}

export function completed(response: string) {
  return { status: "completed", response, completionReason: "done" } as const;
}
