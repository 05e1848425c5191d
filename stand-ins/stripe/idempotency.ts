import { createHash } from "node:crypto";
import { z } from "zod";
import type { Database } from "#stand-ins/shared/sqlite.ts";
import { ApiError } from "./api-error.ts";

/** Outcomes of calls by their idempotency key, for a day: https://docs.stripe.com/api/idempotent_requests */
export const IDEMPOTENCY_TABLE = `
  CREATE TABLE IF NOT EXISTS idempotency (
    key TEXT PRIMARY KEY, call TEXT NOT NULL, status INTEGER NOT NULL, body TEXT NOT NULL, created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS idempotency_age ON idempotency (created_at);
`;

const KEPT_MS = 24 * 3_600_000;
const MAX_KEY_LENGTH = 255;

/** A call's outcome as it is repeated under its key. */
export interface Outcome {
  status: number;
  body: string;
}

/** A call to be recognised: the key may only be used again for the same one. */
export interface KeyedCall {
  key: string;
  method: string;
  path: string;
  body: string;
}

const OutcomeRow = z.object({ call: z.string(), status: z.number(), body: z.string() });

/** The keys of calls that are over or under way. Times are milliseconds since the epoch. */
export class IdempotencyKeys {
  readonly #db: Database;
  readonly #underWay = new Set<string>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** Returns the outcome that the same call had. Throws `ApiError` when another call had this key. */
  find(call: KeyedCall, now: number): Outcome | undefined {
    if (call.key.length > MAX_KEY_LENGTH) {
      throw keyError(400, `Idempotency keys may have up to ${MAX_KEY_LENGTH} characters.`);
    }
    this.#db.run("DELETE FROM idempotency WHERE created_at <= ?", now - KEPT_MS);
    const row = this.#db.get("SELECT call, status, body FROM idempotency WHERE key = ?", call.key);
    if (!row) return undefined;
    const { call: earlier, ...outcome } = OutcomeRow.parse(row);
    if (earlier !== fingerprint(call)) {
      throw keyError(
        400,
        `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${call.key}' if you meant to execute a different request.`,
      );
    }
    return outcome;
  }

  keep(call: KeyedCall, { status, body }: Outcome, now: number): void {
    this.#db.run(
      "INSERT INTO idempotency VALUES (?, ?, ?, ?, ?)",
      call.key,
      fingerprint(call),
      status,
      body,
      now,
    );
  }

  /** Does a call unless one with its key is under way. */
  async alone<T>({ key }: KeyedCall, work: () => Promise<T>): Promise<T> {
    if (this.#underWay.has(key)) {
      throw new ApiError(
        409,
        {
          type: "idempotency_error",
          code: "idempotency_key_in_use",
          message: `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
        },
        { hasBegun: false },
      );
    }
    this.#underWay.add(key);
    try {
      return await work();
    } finally {
      this.#underWay.delete(key);
    }
  }
}

function fingerprint({ method, path, body }: KeyedCall): string {
  return createHash("sha256").update(`${method} ${path}\n${body}`).digest("hex");
}

function keyError(status: number, message: string): ApiError {
  return new ApiError(status, { type: "idempotency_error", message }, { hasBegun: false });
}
