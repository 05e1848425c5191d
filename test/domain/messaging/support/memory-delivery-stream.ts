import type { DeliveryStream, TakenEntry } from "#src/platform/redis/delivery-stream.ts";

type Point = <T>(act: () => Promise<T>) => Promise<T>;

/** After this time the consumer of an entry counts as dead. */
const ABANDONED_MS = 60_000;

/** The stream of replies in memory, with one consumer group. */
export class MemoryDeliveryStream {
  readonly #entries: (TakenEntry & { takenAt: number | undefined })[] = [];
  #last = 0;

  /** What the service has of it; each call goes through `point`. */
  through(point: Point, now: () => number): DeliveryStream {
    return {
      appendAndTake: (entry) =>
        point(async () => {
          const { config_id: configId, delivery_id: deliveryId } = entry;
          this.#last += 1;
          this.#entries.push({ id: `${this.#last}-0`, configId, deliveryId, takenAt: undefined });
          return this.#take(now(), (takenAt) => takenAt === undefined);
        }),
      acknowledge: (_shard, ids) =>
        point(async () => {
          for (const id of ids) {
            const at = this.#entries.findIndex((entry) => entry.id === id);
            if (at >= 0) this.#entries.splice(at, 1);
          }
        }),
      takeAbandoned: () =>
        point(async () =>
          this.#take(now(), (takenAt) => takenAt !== undefined && takenAt + ABANDONED_MS < now()),
        ),
      bury: async () => {},
    };
  }

  #take(now: number, isFree: (takenAt: number | undefined) => boolean): TakenEntry[] {
    const free = this.#entries.filter(({ takenAt }) => isFree(takenAt)).slice(0, 10);
    for (const entry of free) entry.takenAt = now;
    return free;
  }
}
