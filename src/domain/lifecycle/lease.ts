import type { Project } from "#src/domain/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import { renewLease } from "./queries/way.ts";
import type { Wanted } from "./queries/wishes.ts";

/** A quarter of the lease. */
const HEARTBEAT_MS = 5_000;

/** A newer executor is at work on the project, or the project is gone: whoever finds that out stops at once. */
export class SupersededError extends Error {}

/** Something else is wanted by now: what is under way is not to be finished. */
export class OvertakenError extends Error {}

/** An executor's right to a project. Shows life by itself until it is ended. */
export class Lease {
  readonly #db: Db;
  readonly #executor: Pick<Project, "id" | "generation">;
  readonly #abort = new AbortController();
  readonly #timer: ReturnType<typeof setInterval>;
  #way: { wanted: Wanted; abort: AbortController } | undefined;

  constructor(deps: { db: Db; log: Log }, { id, generation }: Pick<Project, "id" | "generation">) {
    this.#db = deps.db;
    this.#executor = { id, generation };
    this.#timer = setInterval(() => {
      this.renew().catch((cause: unknown) => {
        if (!(cause instanceof SupersededError)) {
          deps.log.warn("a project's lease was not renewed", { project_id: id, cause });
        }
      });
    }, HEARTBEAT_MS);
  }

  /** Aborted once somebody else has taken over. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Aborted once somebody else has taken over, or something else is wanted; for one way at a time. */
  signalWhile(wanted: Wanted): AbortSignal {
    const abort = new AbortController();
    this.#way = { wanted, abort };
    return AbortSignal.any([this.#abort.signal, abort.signal]);
  }

  /** The project as it is now, which is ours for another while. Throws `SupersededError`. */
  async renew(): Promise<Project> {
    return this.hold(await renewLease(this.#db, this.#executor));
  }

  /** What a write under this generation answered. Throws `SupersededError` where it was refused. */
  hold(row: Project | undefined): Project {
    if (row) {
      if (this.#way && row.wanted !== this.#way.wanted) {
        this.#way.abort.abort(new OvertakenError("Something else is wanted"));
      }
      return row;
    }
    const error = new SupersededError("Another executor has taken over");
    this.#abort.abort(error);
    throw error;
  }

  end(): void {
    clearInterval(this.#timer);
  }
}
