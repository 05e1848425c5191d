import path from "node:path";
import type { QueryResultRow } from "pg";
import { startNeon } from "#local/neon/index.ts";
import { Database } from "#local/sqlite.ts";
import { idOf, type Kind, type Kinds, OBJECT_TABLES, ObjectStore } from "#local/stripe/store.ts";

export interface StoredCheckout {
  id: string;
  teamId: string;
  sessionId: string | null;
  status: string;
  type: string;
  item: string;
  amountCents: number;
  credits: number;
}

export interface StoredTransaction {
  id: string;
  checkoutId: string;
  amountCents: number;
  paymentIntentId: string;
  creatorCents: number;
}

export interface StoredPayout {
  transactionId: string;
  amountCents: number;
  status: string;
  transferId: string | null;
  /** The creator's, at the provider. */
  accountId: string | null;
}

/** A session at the provider. */
export interface ProviderSession {
  id: string;
  /** The checkout that it names. */
  reference: string | null;
  isPaid: boolean;
  paymentIntentId: string | null;
}

export interface ProviderTransfer {
  id: string;
  transactionId: string | undefined;
  amountCents: number;
  accountId: string | undefined;
}

/** What a service that does not run has left in its database, and its provider in its books. */
export interface PaymentRemains {
  checkouts: StoredCheckout[];
  transactions: StoredTransaction[];
  payouts: StoredPayout[];
  teams: { id: string; credits: number; customerId: string }[];
  /** Agents that teams have, as `team agent`. */
  library: string[];
  sessions: ProviderSession[];
  transfers: ProviderTransfer[];
  /** The teams and users that have customers and accounts, one entry for each of those. */
  customersOf: string[];
  accountsOf: string[];
}

export async function readPayments(dataDir: string): Promise<PaymentRemains> {
  const database = await startNeon({ dataDir });
  const read = async <T extends QueryResultRow>(sql: string) => (await database.pool.query<T>(sql)).rows;
  try {
    return {
      checkouts: await read(`
        SELECT id, team_id AS "teamId", session_id AS "sessionId", status, type, item,
          amount_cents AS "amountCents", credits FROM checkouts`),
      transactions: await read(`
        SELECT id, checkout_id AS "checkoutId", amount_cents AS "amountCents",
          payment_intent_id AS "paymentIntentId", creator_cents AS "creatorCents" FROM transactions`),
      payouts: await read(`
        SELECT transaction_id AS "transactionId", amount_cents AS "amountCents", status,
          transfer_id AS "transferId", stripe_account_id AS "accountId"
        FROM payouts JOIN users ON users.id = creator_id`),
      teams: await read(`
        SELECT id, purchased_credits AS credits, stripe_customer_id AS "customerId" FROM teams
        WHERE stripe_customer_id IS NOT NULL`),
      library: (
        await read<{ row: string }>(
          "SELECT team_id || ' ' || agent_id AS row FROM library_agents WHERE purchase_type <> 'free'",
        )
      ).map(({ row }) => row),
      ...readProvider(dataDir),
    };
  } finally {
    await database.close();
  }
}

function readProvider(dataDir: string) {
  const db = new Database(path.join(dataDir, "stripe.sqlite"), OBJECT_TABLES);
  const store = new ObjectStore(db);
  const all = <K extends Kind>(kind: K): Kinds[K][] => store.list(kind, 1_000_000);
  try {
    return {
      sessions: all("checkout.session").map((session) => ({
        id: session.id,
        reference: session.client_reference_id,
        isPaid: session.payment_status === "paid",
        paymentIntentId: session.payment_intent && idOf(session.payment_intent),
      })),
      transfers: all("transfer").map(({ id, metadata, amount, destination }) => ({
        id,
        transactionId: metadata["transaction_id"],
        amountCents: amount,
        accountId: destination === null ? undefined : idOf(destination),
      })),
      customersOf: all("customer").map(({ metadata }) => metadata["team_id"] ?? ""),
      accountsOf: all("account").map(({ metadata }) => metadata?.["user_id"] ?? ""),
    };
  } finally {
    db.close();
  }
}

/**
 * Makes everything about payments an hour older, as if the service had not run for that long: the sweep of the next start
 * takes what is unsettled.
 */
export async function passHour(dataDir: string): Promise<void> {
  const database = await startNeon({ dataDir });
  try {
    for (const table of ["checkouts", "payouts", "payout_reversals", "stripe_events"]) {
      await database.pool.query(`UPDATE ${table} SET created_at = created_at - interval '1 hour'`);
    }
  } finally {
    await database.close();
  }
}
