import { randomUUID } from "node:crypto";
import type { Message } from "./message.ts";
import type { ScheduleStore } from "./schedule-store.ts";
import type { Send } from "./send.ts";
import { callbackMessage, judge } from "./settle.ts";
import type { Answer, QueueStore } from "./store.ts";

/** Longest timer, since Node fires longer ones at once; a later message sets another timer. */
const MAX_TIMER_MS = 3_600_000;

/**
 * Publishes the messages of schedules and passes all messages to `send` as soon as they are due, at most `limit` at a time. An attempt is stored only when it is
 * over, so attempts that a dying process interrupts are delivered again by the next one.
 */
export class Dispatcher {
  readonly #store: QueueStore;
  readonly #schedules: ScheduleStore;
  readonly #send: Send;
  readonly #limit: number;
  readonly #log: (line: string) => void;
  readonly #underWay = new Set<string>();
  readonly #closing = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #begun = false;

  constructor(options: {
    store: QueueStore;
    schedules: ScheduleStore;
    send: Send;
    limit: number;
    log: (line: string) => void;
  }) {
    this.#store = options.store;
    this.#schedules = options.schedules;
    this.#send = options.send;
    this.#limit = options.limit;
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
    if (this.#underWay.size < this.#limit) {
      for (const id of this.#store.due(now, this.#limit)) {
        if (this.#underWay.size >= this.#limit) break;
        const message = this.#underWay.has(id) ? undefined : this.#store.find(id);
        if (message) void this.#deliver(message);
      }
    }
    this.#arm(now);
  }

  #arm(now: number): void {
    clearTimeout(this.#timer);
    const next = Math.min(
      this.#store.nextDueAfter(now) ?? Infinity,
      this.#schedules.nextDueAfter(now) ?? Infinity,
    );
    if (next < Infinity) this.#timer = setTimeout(() => this.wake(), Math.min(next - now, MAX_TIMER_MS));
  }

  async #deliver(message: Message): Promise<void> {
    this.#underWay.add(message.id);
    const answer = await this.#send(message, this.#closing.signal);
    if (this.#closing.signal.aborted) return;
    try {
      this.#settle(message, answer);
    } catch (error) {
      // A full disk stays full for a while: the message stays under way and is delivered after a restart.
      this.#log(`queue: ${message.id} could not be settled: ${String(error)}`);
      return;
    }
    this.#underWay.delete(message.id);
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
