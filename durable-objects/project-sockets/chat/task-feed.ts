import { followTask, type LiveTask } from "#src/domain/agent-work/chats/index.ts";
import { streamTask } from "#src/domain/agent-work/tasks/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Services } from "#src/services.ts";
import type { Follower } from "./follower.ts";
import { isAskingAfter, ShownEvent } from "./frames.ts";

/**
 * Consecutive failures to read a task's log after which the next attempt waits for the regular check of the sockets.
 */
const MAX_FAILURES = 5;
const PAUSE_MS = 500;

export type FeedTask = Pick<LiveTask, "id" | "chatId" | "status">;

type FeedServices = Pick<Services, "taskLogs" | "log">;

/**
 * The events of one task, read once for all sockets that show it. A socket that is behind the others reads from the log
 * by itself until it has caught up. While a task waits for an approval nothing is read, so that the object can
 * hibernate.
 */
export class TaskFeed {
  readonly #task: FeedTask;
  readonly #services: FeedServices;
  /** Called when the log cannot be read, for good or temporarily. */
  readonly #onFailure: (error: unknown) => void;
  readonly #live = new Set<Follower>();
  /** Id of the last event that live followers received. */
  #position = 0;
  #isReading = false;
  /** Counts calls of `goOn`: a call during the closing of a stream is handled after it. */
  #asked = 0;
  #isAsking: boolean;
  #isOver = false;

  constructor(
    task: FeedTask,
    isAsking: boolean,
    services: FeedServices,
    onFailure: (error: unknown) => void,
  ) {
    this.#task = task;
    this.#isAsking = isAsking;
    this.#services = services;
    this.#onFailure = onFailure;
  }

  /** Whether the task is over, so that no follower needs more events. */
  get isOver(): boolean {
    return this.#isOver;
  }

  join(follower: Follower): void {
    if (this.#live.size === 0 && !this.#isReading) this.#position = follower.after;
    if (follower.after < this.#position) return void this.#catchUp(follower);
    this.#live.add(follower);
    this.goOn();
  }

  /** An approval was decided, or the agent has started to work: events will follow. */
  wake(): void {
    this.#isAsking = false;
    this.goOn();
  }

  /** Reads new events, unless a read is under way. */
  goOn(): void {
    this.#asked += 1;
    if (!this.#isReading && !this.#isOver) void this.#read();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    for (let asked = -1; asked !== this.#asked && !this.#isOver && this.#hasListeners();) {
      asked = this.#asked;
      await this.#repeat(
        () => this.#position,
        (events) => this.#give(events),
        (isQuiet) => this.#hasListeners() && !(isQuiet && this.#isAsking),
      );
    }
    this.#isReading = false;
  }

  #give(events: readonly ShownEvent[]): void {
    this.#position = events.at(-1)?.id ?? this.#position;
    this.#isAsking = isAskingAfter(this.#isAsking, events);
    this.#isOver = events.at(-1)?.type === "done";
    for (const follower of this.#live) {
      if (follower.isGone || follower.give(events)) continue;
      this.#live.delete(follower);
      void this.#catchUp(follower);
    }
  }

  #hasListeners(): boolean {
    for (const follower of this.#live) if (follower.isGone) this.#live.delete(follower);
    return this.#live.size > 0;
  }

  async #catchUp(follower: Follower): Promise<void> {
    let isBehind = true;
    await this.#repeat(
      () => follower.after,
      async (events) => {
        await follower.take(events);
        // Joins in the same turn in which it has caught up, so that it misses no later event.
        isBehind = follower.after < this.#position;
        if (!isBehind && !follower.isGone) this.join(follower);
      },
      () => isBehind && !follower.isGone,
    );
  }

  /**
   * Reads the events after a position until the task is over or no follower wants more; repeats a few times after
   * failures.
   */
  async #repeat(
    after: () => number,
    give: (events: readonly ShownEvent[]) => void | Promise<void>,
    isWanted: (isQuiet: boolean) => boolean,
  ): Promise<void> {
    const { id: task_id } = this.#task;
    for (let failures = 0; ;) {
      try {
        const opened = await streamTask(this.#services, this.#task, after());
        for await (const heard of followTask(this.#services, this.#task, after(), opened)) {
          failures = 0;
          // A heartbeat arrives at once when there are no new events, and then every few seconds.
          const isQuiet = heard.kind === "heartbeat";
          if (!isQuiet) await give(heard.events.map((event) => new ShownEvent(this.#task, event)));
          if (!isWanted(isQuiet)) return;
        }
        return;
      } catch (error) {
        if (!isWanted(false)) return;
        const isFinal = error instanceof AppError && !error.retryable;
        failures += 1;
        if (!isFinal)
          this.#services.log.warn("a task's events cannot be read", { task_id, failures, cause: error });
        if (isFinal || failures > MAX_FAILURES) return this.#onFailure(error);
        await new Promise((resolve) => setTimeout(resolve, failures * PAUSE_MS));
      }
    }
  }
}
