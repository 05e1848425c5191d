import { randomUUID } from "node:crypto";
import { Lanes, type Places } from "./lanes.ts";
import type { Message } from "./message.ts";
import type { ScheduleStore } from "./schedule-store.ts";
import type { Send } from "./send.ts";
import { callbackMessage, judge } from "./settle.ts";
import type { Answer, QueueStore } from "./store.ts";

/** Longest timer, since Node fires longer ones at once; a later message sets another timer. */
const MAX_TIMER_MS = 3_600_000;

/**
 * Publishes the messages of schedules and passes all messages to `send` as soon as they are due and their lane has its turn.
 * An attempt is stored only when it is over, so attempts that a dying process interrupts are delivered again by the next one.
 */
export class Dispatcher {
  readonly #store: QueueStore;
  readonly #schedules: ScheduleStore;
  readonly #send: Send;
  readonly #lanes: Lanes;
  readonly #log: (line: string) => void;
  readonly #closing = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #begun = false;
  /** Messages that were due before are in their lanes. */
  #lookedAt = 0;

  constructor(options: {
    store: QueueStore;
    schedules: ScheduleStore;
    send: Send;
    places: Places;
    log: (line: string) => void;
  }) {
    this.#store = options.store;
    this.#schedules = options.schedules;
    this.#send = options.send;
    this.#lanes = new Lanes(options.places);
    this.#log = options.log;
  }

  /**
   * Starts delivering, since the service is ready; before, messages are only stored. Messages that failed because the
   * service did not respond are retried at once: when everything is killed, the service may die just before this
   * process.
   */
  begin(): void {
    this.#begun = true;
    this.#store.hasten(Date.now());
    this.#lookedAt = 0;
    this.wake();
  }

  /** Checks for due schedules and messages; called after each publish, after each delivery and when the next one is due. */
  wake(): void {
    if (!this.#begun || this.#closing.signal.aborted) return;
    try {
      this.#startDue(Date.now());
    } catch (error) {
      this.#log(`queue: the store cannot be read: ${String(error)}`);
    }
  }

  /** Abandons deliveries under way; their messages stay in the store. */
  close(): void {
    this.#closing.abort();
    clearTimeout(this.#timer);
  }

  #startDue(now: number): void {
    this.#schedules.publishDue(now);
    // The clock may have been set back.
    const since = Math.min(this.#lookedAt, now);
    for (const lane of this.#store.lanesDue({ since, now })) this.#lanes.queue(lane);
    this.#lookedAt = now;
    for (let lane = this.#lanes.next(); lane !== undefined; lane = this.#lanes.next()) {
      const underWay = this.#lanes.underWay(lane);
      const message = this.#store.next(lane, now, underWay);
      // A lane that is full gets its next turn when one of its deliveries is over.
      if (!message || underWay.size >= (message.details.flow?.parallelism ?? Infinity)) continue;
      void this.#deliver(message, lane);
      this.#lanes.queue(lane);
    }
    this.#arm(now);
  }

  /** How many messages with a flow-control key are under way. */
  underWay(key: string): number {
    return this.#lanes.underWay(key).size;
  }

  #arm(now: number): void {
    clearTimeout(this.#timer);
    const next = Math.min(
      this.#store.nextDueAfter(now) ?? Infinity,
      this.#schedules.nextDueAfter(now) ?? Infinity,
    );
    if (next < Infinity) this.#timer = setTimeout(() => this.wake(), Math.min(next - now, MAX_TIMER_MS));
  }

  async #deliver(message: Message, lane: string): Promise<void> {
    this.#lanes.begin(lane, message.id);
    const answer = await this.#send(message, this.#closing.signal);
    if (this.#closing.signal.aborted) return;
    try {
      this.#settle(message, answer);
    } catch (error) {
      // A full disk stays full for a while: the message stays under way and is delivered after a restart.
      this.#log(`queue: ${message.id} could not be settled: ${String(error)}`);
      return;
    }
    this.#lanes.end(lane, message.id);
    this.wake();
  }

  #settle(message: Message, answer: Answer): void {
    const now = Date.now();
    const { callback, failureCallback } = message.details;
    const following = callback ? [callbackMessage(callback, message, answer, now)] : [];
    const verdict = judge(message, answer, now);
    switch (verdict.kind) {
      case "done":
        this.#store.finish(message.id, following, now);
        break;
      case "again":
        this.#store.postpone(
          message.id,
          { retried: message.retried + 1, dueAt: verdict.dueAt, unanswered: answer.status === 0 },
          following,
          now,
        );
        break;
      case "dead": {
        const dlqId = `${now}-${randomUUID().slice(0, 8)}`;
        if (failureCallback) following.push(callbackMessage(failureCallback, message, answer, now, dlqId));
        this.#store.bury(message.id, dlqId, answer, following, now);
        this.#log(
          `queue: ${message.id} to ${new URL(message.details.url).pathname} gave up (status ${answer.status}, ${message.retried} retries)`,
        );
        break;
      }
    }
  }
}
