import type { SQL } from "drizzle-orm";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import { Superseded, type Attempt, type Read } from "./job.ts";
import { LEASE_SECONDS, renewLease, storeStage, type Held } from "./queries.ts";

/** A lease survives two renewals that fail. */
const BEAT_MS = 3_000;

interface LeaseDeps {
  db: Db;
  log: Log;
}

/** An executor's hold of a job, renewed until its end. */
export class Lease<R> {
  /** What is written with each renewal. */
  writing: (() => SQL) | undefined;
  /** Whom is told what is read with each renewal. */
  telling: ((read: R) => void) | undefined;
  readonly #services: LeaseDeps;
  readonly #held: Held;
  readonly #reading: () => Read<R> | undefined;
  readonly #lost = new AbortController();
  readonly #heartbeat: ReturnType<typeof setInterval>;
  #renewedAt: number;

  constructor(
    services: LeaseDeps,
    held: Held,
    { since, reading }: { since: number; reading: () => Read<R> | undefined },
  ) {
    this.#services = services;
    this.#held = held;
    this.#reading = reading;
    this.#renewedAt = since;
    this.#heartbeat = setInterval(() => void this.#beat(), BEAT_MS);
  }

  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  end(): void {
    clearInterval(this.#heartbeat);
  }

  store: Attempt<unknown, R>["store"] = async (statements, options) => {
    const begun = Date.now();
    const stored = await storeStage(this.#services.db, this.#held, statements, options);
    if (!stored) throw this.#lose();
    this.#renewedAt = Math.max(this.#renewedAt, begun);
    return stored;
  };

  async #beat(): Promise<void> {
    const begun = Date.now();
    // Another executor may have it by now. A renewal that hangs does not say so.
    if (begun - this.#renewedAt > LEASE_SECONDS * 1000) this.#lose();
    try {
      const { isHeld, read } = await renewLease(this.#services.db, this.#held, {
        writes: this.writing && [this.writing()],
        reading: this.telling && this.#reading(),
      });
      if (!isHeld) this.#lose();
      else {
        this.#renewedAt = Math.max(this.#renewedAt, begun);
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- R is undefined for a kind that reads nothing
        this.telling?.(read as R);
      }
    } catch (cause) {
      const { kind, key } = this.#held;
      this.#services.log.warn("a job's lease was not renewed", { kind, key, cause });
    }
  }

  #lose(): Superseded {
    const superseded = new Superseded();
    this.#lost.abort(superseded);
    return superseded;
  }
}
