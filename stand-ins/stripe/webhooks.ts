import { z } from "zod";
import type { Database } from "#stand-ins/shared/sqlite.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import type { EventStore, StoredEvent } from "./events.ts";
import { signatureHeader } from "./signature.ts";

const TIMEOUT_MS = 20_000;
const AT_ONCE = 16;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 3_600_000;
const GIVEN_UP_AFTER_MS = 3 * 86_400_000;
const MAX_TIMER_MS = 60_000;
const MAX_SHUFFLE_MS = 200;

/** How deliveries go wrong on a test's order, kept over restarts. */
export const WEBHOOK_TABLE = `
  CREATE TABLE IF NOT EXISTS delivery_mode (only INTEGER PRIMARY KEY CHECK (only = 1), body TEXT NOT NULL) STRICT;
`;

const Mode = z.object({
  /** Nothing is sent. */
  hold: z.boolean(),
  /** Events overtake one another. */
  shuffle: z.boolean(),
  /** Every event is sent twice, at the same time. */
  duplicate: z.boolean(),
  /** How many events are never sent. */
  drop: z.number(),
});
export type DeliveryMode = z.infer<typeof Mode>;

const NORMAL: DeliveryMode = { hold: false, shuffle: false, duplicate: false, drop: 0 };

/**
 * Sends events to the service, each until it is acknowledged, for three days. Order is not promised: events are sent as
 * soon as they are due, several at a time. What a dying process interrupts is sent again by the next one.
 */
export class Webhooks {
  readonly #db: Database;
  readonly #events: EventStore;
  readonly #target: string;
  readonly #secret: string;
  readonly #clock: () => number;
  readonly #log: (line: string) => void;
  readonly #underWay = new Set<string>();
  readonly #closing = new AbortController();
  #mode: DeliveryMode;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #begun = false;

  constructor(options: {
    db: Database;
    events: EventStore;
    /** The service's address for events. */
    target: string;
    secret: string;
    clock: () => number;
    log: (line: string) => void;
  }) {
    this.#db = options.db;
    this.#events = options.events;
    this.#target = options.target;
    this.#secret = options.secret;
    this.#clock = options.clock;
    this.#log = options.log;
    const kept = this.#db.get("SELECT body FROM delivery_mode")?.["body"];
    this.#mode = typeof kept === "string" ? parseJson(kept, Mode) : NORMAL;
  }

  get mode(): DeliveryMode {
    return this.#mode;
  }

  /** Changes how events are sent. `undefined` returns to the normal way, at once for all that waits. */
  setMode(change: Partial<DeliveryMode> | undefined): DeliveryMode {
    this.#mode = change ? { ...this.#mode, ...change } : NORMAL;
    this.#db.run(
      "INSERT INTO delivery_mode VALUES (1, ?) ON CONFLICT (only) DO UPDATE SET body = excluded.body",
      JSON.stringify(this.#mode),
    );
    if (!change) this.#events.hasten(this.#clock());
    this.wake();
    return this.#mode;
  }

  /** Starts sending, since the service is ready. Events that it could not take before are sent at once. */
  begin(): void {
    this.#begun = true;
    this.#events.hasten(this.#clock());
    this.wake();
  }

  /** Sends what is due; called after each change of the books and when the next event is due. */
  wake(): void {
    if (!this.#begun || this.#closing.signal.aborted || this.#mode.hold) return;
    const now = this.#clock();
    const due = this.#events.due(now, AT_ONCE * 4).filter(({ id }) => !this.#underWay.has(id));
    for (const event of this.#mode.shuffle ? due.toReversed() : due) {
      if (this.#underWay.size >= AT_ONCE) break;
      if (this.#mode.drop > 0) this.#drop(event);
      else void this.#deliver(event);
    }
    this.#arm(now);
  }

  /** Abandons what is under way; it is sent again after the next start. */
  close(): void {
    this.#closing.abort();
    clearTimeout(this.#timer);
  }

  #arm(now: number): void {
    clearTimeout(this.#timer);
    const next = this.#events.nextDueAfter(now);
    if (next !== undefined) {
      this.#timer = setTimeout(() => this.wake(), Math.max(1, Math.min(next - now, MAX_TIMER_MS)));
    }
  }

  #drop({ id }: StoredEvent): void {
    this.setDrop(this.#mode.drop - 1);
    this.#events.settle(id, "dropped");
  }

  setDrop(drop: number): void {
    this.#mode = { ...this.#mode, drop };
    this.#db.run("UPDATE delivery_mode SET body = ?", JSON.stringify(this.#mode));
  }

  async #deliver(event: StoredEvent): Promise<void> {
    this.#underWay.add(event.id);
    const { shuffle, duplicate } = this.#mode;
    if (shuffle) await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_SHUFFLE_MS));
    const copies = await Promise.all([this.#post(event), ...(duplicate ? [this.#post(event)] : [])]);
    if (this.#closing.signal.aborted) return;
    const failure = copies.find((copy) => copy !== undefined);
    this.#underWay.delete(event.id);
    try {
      this.#settle(event, failure);
    } catch (error) {
      this.#log(`stripe: ${event.id} could not be settled: ${String(error)}`);
      return;
    }
    this.wake();
  }

  #settle(event: StoredEvent, failure: string | undefined): void {
    const now = this.#clock();
    if (failure === undefined) this.#events.settle(event.id, "delivered");
    else if (now - event.created_at > GIVEN_UP_AFTER_MS) {
      this.#events.settle(event.id, "given up", { failure });
      this.#log(`stripe: ${event.type} ${event.id} was never acknowledged: ${failure}`);
    } else {
      const wait = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** event.attempts);
      this.#events.settle(event.id, "waiting", { dueAt: now + wait, failure });
    }
  }

  /** Returns why an event was not acknowledged. */
  async #post({ body }: StoredEvent): Promise<string | undefined> {
    try {
      const response = await fetch(this.#target, {
        method: "POST",
        headers: {
          "content-type": "application/json; charset=utf-8",
          "user-agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
          "stripe-signature": signatureHeader(this.#secret, body, this.#clock()),
        },
        body,
        redirect: "manual",
        signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      await response.body?.cancel();
      return response.ok ? undefined : `status ${response.status}`;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}
