import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Dispatcher } from "#stand-ins/queue/dispatcher.ts";
import type { Places } from "#stand-ins/queue/lanes.ts";
import { newMessageId, type Message } from "#stand-ins/queue/message.ts";
import { SCHEDULE_TABLE, ScheduleStore } from "#stand-ins/queue/schedule-store.ts";
import { MESSAGE_TABLES, QueueStore, type Answer } from "#stand-ins/queue/store.ts";
import { Database } from "#stand-ins/shared/sqlite.ts";

const PLACES: Places = { favoured: { lanes: /^agent-step\./u, places: 48 }, others: 32 };
// Messages of one millisecond take turns in another order. Here each message has a millisecond of its own.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => vi.useRealTimers());

const DONE: Answer = { status: 200, headers: {}, bodyBase64: "" };

/** The queue's dispatcher, whose deliveries begin at once and end when the test says so. */
class Deliveries {
  /** Keys of messages in the order in which their delivery began. */
  readonly begun: string[] = [];
  #open: { key: string; end: (answer: Answer) => void }[] = [];
  readonly #store: QueueStore;
  readonly #dispatcher: Dispatcher;

  constructor(places: Places) {
    const db = new Database(":memory:", MESSAGE_TABLES + SCHEDULE_TABLE);
    this.#store = new QueueStore(db, Date.now());
    this.#dispatcher = new Dispatcher({
      store: this.#store,
      schedules: new ScheduleStore(db, this.#store, Date.now()),
      send: (message) => this.#begin(message),
      places,
      log: (line) => {
        throw new Error(line);
      },
    });
    this.#dispatcher.begin();
  }

  get open(): readonly string[] {
    return this.#open.map(({ key }) => key);
  }

  publish(key: string, parallelism: number, times = 1): void {
    const now = Date.now() + 1;
    vi.setSystemTime(now);
    const common = { method: "POST", headers: {}, retries: 0, timeoutMs: 1000, delayMs: 0 };
    const details = { ...common, url: "http://service.test/", flow: { key, parallelism } };
    const message = () => ({
      id: newMessageId(),
      details: { ...details, createdAt: now, notBefore: now },
      body: new Uint8Array(),
    });
    this.#store.add(Array.from({ length: times }, message), now);
    this.#dispatcher.wake();
  }

  /** Ends the oldest delivery of a key, or of all. */
  async end(key?: string): Promise<void> {
    const place = this.#open.findIndex((each) => key === undefined || each.key === key);
    const [ended] = this.#open.splice(place, 1);
    ended?.end(DONE);
    // Its end is stored, and another one begins, in the promises that follow.
    await new Promise((resolve) => setImmediate(resolve));
  }

  close(): void {
    this.#dispatcher.close();
  }

  #begin({ details }: Message): Promise<Answer> {
    const key = details.flow?.key ?? "";
    this.begun.push(key);
    return new Promise((end) => this.#open.push({ key, end }));
  }
}

it("B's messages and steps begin at once beside 2,500 messages and 300 steps of A", async () => {
  const queue = new Deliveries(PLACES);
  queue.publish("receive-message.a", 6, 2500);
  queue.publish("agent-step.a", 32, 300);
  queue.publish("deliver-message.a", 6, 300);
  for (let second = 0; second < 20; second += 1) {
    const before = queue.begun.length;
    queue.publish("receive-message.b", 6);
    queue.publish("agent-step.b", 32);
    // Not one of A's comes between.
    expect(queue.begun.slice(before)).toEqual(["receive-message.b", "agent-step.b"]);
    for (let ended = 0; ended < 25; ended += 1) await queue.end("receive-message.a");
    await queue.end("receive-message.b");
    await queue.end("agent-step.b");
    expect(Map.groupBy(queue.open, (key) => key).get("receive-message.a")).toHaveLength(6);
  }
  expect(queue.open.filter((key) => key === "agent-step.a")).toHaveLength(32);
  queue.close();
});

it("other work takes no place of steps, and steps take none of other work", async () => {
  const queue = new Deliveries(PLACES);
  for (let owner = 0; owner < 40; owner += 1) queue.publish(`receive-message.${owner}`, 6, 20);
  expect(queue.open).toHaveLength(32);
  for (let owner = 0; owner < 60; owner += 1) queue.publish(`agent-step.${owner}`, 32);
  expect(queue.open).toHaveLength(80);
  for (let ended = 0; ended < 24; ended += 1) await queue.end();
  expect(queue.open.filter((key) => key.startsWith("agent-step."))).toHaveLength(48);
  expect(queue.open).toHaveLength(80);
  queue.close();
});

it("keys take turns, whatever waits for them, and a key that is full leaves its turn to the others", async () => {
  const queue = new Deliveries({ ...PLACES, others: 3 });
  queue.publish("a", 2, 100);
  queue.publish("b", 10, 100);
  queue.publish("c", 10, 2);
  expect(queue.begun).toEqual(["a", "a", "b"]);
  for (let ended = 0; ended < 6; ended += 1) await queue.end();
  expect(queue.begun.slice(3)).toEqual(["b", "c", "a", "b", "c", "a"]);
  queue.close();
});
