import { randomInt } from "node:crypto";
import type Stripe from "stripe";
import { z } from "zod";
import { parseJson } from "#src/lib/parse-json.ts";
import type { Database, Row } from "#stand-ins/shared/sqlite.ts";
import { missingObject } from "./api-error.ts";

/** The objects of the account, and what is never deleted: each by its id. Notes are what an object does not show. */
export const OBJECT_TABLES = `
  CREATE TABLE IF NOT EXISTS object (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS object_kind ON object (kind, seq);
  CREATE INDEX IF NOT EXISTS open_session ON object (json_extract(body, '$.expires_at'))
    WHERE kind = 'checkout.session' AND json_extract(body, '$.status') = 'open';
  CREATE TABLE IF NOT EXISTS note (
    id TEXT NOT NULL, name TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (id, name)
  ) STRICT;
`;

/** An account's visit to its onboarding page, behind an account link. */
export interface Onboarding {
  id: string;
  object: "onboarding";
  account: string;
  refresh_url: string;
  return_url: string;
  expires_at: number;
}

/** All objects by the text in their `object`. */
export interface Kinds {
  account: Stripe.Account;
  "billing_portal.session": Stripe.BillingPortal.Session;
  charge: Stripe.Charge;
  "checkout.session": Stripe.Checkout.Session;
  customer: Stripe.Customer;
  dispute: Stripe.Dispute;
  invoice: Stripe.Invoice;
  onboarding: Onboarding;
  payment_intent: Stripe.PaymentIntent;
  price: Stripe.Price;
  product: Stripe.Product;
  refund: Stripe.Refund;
  subscription: Stripe.Subscription;
  transfer: Stripe.Transfer;
  transfer_reversal: Stripe.TransferReversal;
}
export type Kind = keyof Kinds;

/** The stored objects. Changes are on disk when a method returns. */
export class ObjectStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Does the work, all or none. */
  transaction<T>(work: () => T): T {
    return this.#db.transaction(work);
  }

  /** Stores a new or changed object and returns it. */
  put<K extends Kind>(object: Kinds[K] & { object: K }): Kinds[K] {
    this.#db.run(
      `INSERT INTO object (id, kind, body) VALUES (?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET body = excluded.body`,
      object.id,
      object.object,
      JSON.stringify(object),
    );
    return object;
  }

  find<K extends Kind>(kind: K, id: string): Kinds[K] | undefined {
    const row = this.#db.get("SELECT body FROM object WHERE id = ? AND kind = ?", id, kind);
    return row && bodyOf(row, z.custom<Kinds[K]>());
  }

  /** Throws `ApiError` when there is none: 404, or 400 if a parameter named it. */
  get<K extends Kind>(kind: K, id: string, param?: string): Kinds[K] {
    const found = this.find(kind, id);
    if (!found) throw missingObject(kind, id, param);
    return found;
  }

  /** Finds an object of any kind. */
  findAny(id: string): object | undefined {
    const row = this.#db.get("SELECT body FROM object WHERE id = ?", id);
    return row && bodyOf(row, z.custom<object>());
  }

  /** Returns the newest first. */
  list<K extends Kind>(kind: K, limit: number): Kinds[K][] {
    const sql = "SELECT body FROM object WHERE kind = ? ORDER BY seq DESC LIMIT ?";
    return this.#db.all(sql, kind, limit).map((row) => bodyOf(row, z.custom<Kinds[K]>()));
  }

  /** Returns the objects that refer to another one in this field, newest first. */
  listBy<K extends Kind>(kind: K, field: string & keyof Kinds[K], id: string): Kinds[K][] {
    const sql = "SELECT body FROM object WHERE kind = ? AND json_extract(body, ?) = ? ORDER BY seq DESC";
    return this.#db.all(sql, kind, `$.${field}`, id).map((row) => bodyOf(row, z.custom<Kinds[K]>()));
  }

  /** Returns the sessions that are open although their time is over; `now` is in seconds. */
  overdueSessions(now: number): string[] {
    const sql = `SELECT id FROM object WHERE kind = 'checkout.session'
      AND json_extract(body, '$.status') = 'open' AND json_extract(body, '$.expires_at') <= ?`;
    return this.#db.all(sql, now).map(({ id }) => String(id));
  }

  /** Keeps something with an object that the object does not show. */
  setNote(id: string, name: string, value: unknown): void {
    this.#db.run(
      "INSERT INTO note VALUES (?, ?, ?) ON CONFLICT (id, name) DO UPDATE SET body = excluded.body",
      id,
      name,
      JSON.stringify(value),
    );
  }

  note<T>(id: string, name: string, schema: z.ZodType<T>): T | undefined {
    const text = this.#db.get("SELECT body FROM note WHERE id = ? AND name = ?", id, name)?.["body"];
    return typeof text === "string" ? parseJson(text, schema) : undefined;
  }
}

function bodyOf<T>({ body }: Row, schema: z.ZodType<T>): T {
  return parseJson(String(body), schema);
}

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A new id, such as `cus_` with 24 random characters. */
export function newId(prefix: string): string {
  return prefix + Array.from({ length: 24 }, () => DIGITS[randomInt(DIGITS.length)]).join("");
}

/** A list within an object. */
export function listOf<T>(data: T[], url: string): Stripe.ApiList<T> {
  return { object: "list", data, has_more: false, url };
}

/** The id of something that may have been expanded. */
export function idOf(reference: string | { id: string }): string {
  return typeof reference === "string" ? reference : reference.id;
}
