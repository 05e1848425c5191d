import type { Project } from "#src/domain/workspaces/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import { renewLease } from "./queries/transition.ts";
import type { Wanted } from "./queries/wishes.ts";

/** A quarter of the lease. */
const HEARTBEAT_MS = 5_000;

/** A newer executor has the project, or the project is deleted. The executor that finds this out stops at once. */
export class SupersededError extends Error {}

/** The wanted state has changed: the current transition must not be completed. */
export class OvertakenError extends Error {}

/** An executor's lease on a project. Renews itself until it is ended. */
export class Lease {
  readonly #db: Db;
  readonly #executor: Pick<Project, "id" | "generation">;
  readonly #abort = new AbortController();
  readonly #timer: ReturnType<typeof setInterval>;
  #transition: { wanted: Wanted; abort: AbortController } | undefined;

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

  /** Aborted once another executor has taken over. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Aborted once another executor has taken over or the wanted state has changed. For one transition at a time. */
  signalWhile(wanted: Wanted): AbortSignal {
    const abort = new AbortController();
    this.#transition = { wanted, abort };
    return AbortSignal.any([this.#abort.signal, abort.signal]);
  }

  /** Extends the lease and returns the current project. Throws `SupersededError`. */
  async renew(): Promise<Project> {
    return this.hold(await renewLease(this.#db, this.#executor));
  }

  /** Checks the row that a fenced write returned. Throws `SupersededError` when the write was refused. */
  hold(row: Project | undefined): Project {
    if (row) {
      if (this.#transition && row.wanted !== this.#transition.wanted) {
        this.#transition.abort.abort(new OvertakenError("The wanted state of the project has changed"));
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
