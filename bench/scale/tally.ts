import type { IncomingHttpHeaders } from "node:http";
import { tickDue } from "#src/domain/schedules/runs/functions.ts";

export interface Trips {
  db: number;
  publish: number;
  objects: number;
}

/** Sums the round trips of requests and of steps, and counts the requests. */
export class Tally {
  readonly #requests = new Map<string, number>();
  #trips: Trips = { db: 0, publish: 0, objects: 0 };

  clear(): void {
    this.#requests.clear();
    this.#trips = { db: 0, publish: 0, objects: 0 };
  }

  /** Notes a request by its `Server-Timing` header. */
  note(path: string, headers: IncomingHttpHeaders): void {
    const name = path.replace(/^\/functions\//u, "");
    // The queue's clock calls each minute, however many tasks there are.
    if (name === tickDue.name) return;
    this.#requests.set(name, (this.#requests.get(name) ?? 0) + 1);
    const shown = String(headers["server-timing"]);
    const of = (kind: keyof Trips) => Number(new RegExp(`${kind};desc="(\\d+)"`, "u").exec(shown)?.[1] ?? 0);
    this.add({ db: of("db"), publish: of("publish"), objects: of("objects") });
  }

  /** Adds what no request answers for: a step that begins at once is executed for its object. */
  add({ db, publish, objects }: Trips): void {
    this.#trips.db += db;
    this.#trips.publish += publish;
    this.#trips.objects += objects;
  }

  /** Deliveries of the queue by function, and round trips of all requests, including the client's. */
  perTask(tasks: number): { deliveries: Record<string, number>; trips: Trips } {
    const share = (value: number) => Number((value / tasks).toFixed(2));
    const delivered = [...this.#requests].filter(([name]) => name !== "invoke" && name !== "events");
    const { db, publish, objects } = this.#trips;
    return {
      deliveries: Object.fromEntries(delivered.map(([name, count]) => [name, share(count)])),
      trips: { db: share(db), publish: share(publish), objects: share(objects) },
    };
  }
}
