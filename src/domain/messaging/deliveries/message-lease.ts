import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import { notePiece, renewLease, type Hold } from "./queries/attempts.ts";

/** A third of the lease: one renewal may fail. */
const RENEW_MS = 3_000;
/** Renewals without a further piece, after which a send counts as hung: it takes five minutes. */
const MAX_RENEWALS = 100;

/** Another executor has claimed the message, or it is settled. What finds this out sends and stores nothing more. */
export class LostLease extends Error {}

/** An executor's lease on a message of the outbox. Renews itself until it is ended. */
export class MessageLease {
  readonly #db: Db;
  readonly #hold: Hold;
  readonly #timer: ReturnType<typeof setInterval>;
  #renewals = 0;

  constructor({ db, log }: { db: Db; log: Log }, hold: Hold) {
    this.#db = db;
    this.#hold = hold;
    this.#timer = setInterval(() => {
      this.#renewals += 1;
      if (this.#renewals >= MAX_RENEWALS) this.end();
      this.renew().catch((cause: unknown) => {
        if (cause instanceof LostLease) this.end();
        else log.warn("the lease on a message was not renewed", { message_id: hold.id, cause });
      });
    }, RENEW_MS);
  }

  /** Throws `LostLease`. */
  async renew(): Promise<void> {
    if (!(await renewLease(this.#db, this.#hold))) throw new LostLease();
  }

  /** Notes that the platform has taken another piece. Throws `LostLease`: the next piece is then another executor's. */
  async notePiece(piecesSent: number): Promise<void> {
    if (!(await notePiece(this.#db, this.#hold, piecesSent))) throw new LostLease();
    this.#renewals = 0;
  }

  end(): void {
    clearInterval(this.#timer);
  }
}
