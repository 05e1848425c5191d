import { sql } from "drizzle-orm";
import { index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { agents } from "./chats.ts";
import { at, createdAt, id } from "./columns.ts";
import { bases } from "./snapshots.ts";
import { teams } from "./teams.ts";

/** What a checkout sells. */
export const CHECKOUT_TYPES = [
  "subscription",
  "credit_purchase",
  "agent_purchase",
  "base_purchase",
  "deploy_purchase",
] as const;

/** What a session is created with beyond the columns. A repeated creation must not differ from the first. */
export interface CheckoutTerms {
  /** What the payer reads. */
  name: string;
  /** Repeated so often; absent for what is paid once. */
  interval?: "month" | "year" | undefined;
  metadata: Readonly<Record<string, string>>;
  /** Where the payer returns to, below the row's origin. */
  successPath: string;
  cancelPath: string;
}

/**
 * Wishes to pay, each with at most one session at the provider. The row is written before the session is created, and is
 * what a paid session must agree with. Amounts are cents. Rows outlive their team and its people, because they are
 * records of money.
 */
export const checkouts = pgTable(
  "checkouts",
  {
    id: id(),
    teamId: uuid().references(() => teams.id, { onDelete: "set null" }),
    userId: uuid().references(() => users.id, { onDelete: "set null" }),
    type: text({ enum: CHECKOUT_TYPES }).notNull(),
    /** What exactly: `pro:annual`, a credit package, the id of an agent or template; `slot` for a deployment. */
    item: text().notNull(),
    customerId: text().notNull(),
    amountCents: integer().notNull(),
    /** ISO 4217, lower case. */
    currency: text().notNull(),
    /** Price of the provider, for subscriptions of the service. Marketplace items have a price of their own each time. */
    priceId: text(),
    /** Credits that the payment adds. */
    credits: integer().notNull().default(0),
    /** Address of the service that the payer returns to. */
    returnOrigin: text().notNull(),
    terms: jsonb().$type<CheckoutTerms>().notNull(),
    /** `open` until there is a session; `pending` until it is paid; the others are final but for a refund. */
    status: text({ enum: ["open", "pending", "paid", "refunded", "failed", "expired"] })
      .notNull()
      .default("open"),
    /** Why nothing was granted, in a sentence. */
    error: text(),
    sessionId: text(),
    sessionUrl: text(),
    paymentIntentId: text(),
    createdAt: createdAt(),
    settledAt: at(),
  },
  (table) => [
    uniqueIndex("checkouts_session_unique").on(table.sessionId),
    uniqueIndex("checkouts_payment_intent_unique").on(table.paymentIntentId),
    index("checkouts_team").on(table.teamId, table.createdAt),
    index("checkouts_user").on(table.userId),
    // What the sweep looks at.
    index("checkouts_unsettled")
      .on(table.createdAt)
      .where(sql`${table.status} IN ('open', 'pending')`),
  ],
);

/** Subscriptions of teams: to a tier of the service, or to an agent of the marketplace. */
export const subscriptions = pgTable(
  "subscriptions",
  {
    id: id(),
    /** Id at the provider. */
    subscriptionId: text().notNull().unique("subscriptions_subscription_unique"),
    /** Null once the team is deleted: the sweep ends what it still pays for. */
    teamId: uuid().references(() => teams.id, { onDelete: "set null" }),
    /** Who subscribed. */
    userId: uuid().references(() => users.id, { onDelete: "set null" }),
    checkoutId: uuid().references(() => checkouts.id),
    tier: text({ enum: ["basic", "pro", "ultra"] }),
    /** Null for a tier, and once the agent is deleted. */
    agentId: uuid().references(() => agents.id, { onDelete: "set null" }),
    priceId: text().notNull(),
    amountCents: integer(),
    currency: text().notNull(),
    /** As the provider calls it: `active`, `trialing`, `past_due`, `canceled`, … */
    status: text().notNull(),
    periodStart: at().notNull(),
    periodEnd: at().notNull(),
    /** When it ends, if that is decided. */
    cancelAt: at(),
    /** Since when its payment is overdue: the grace counts from here. */
    pastDueSince: at(),
    /** The period whose bundled credits the team has, and the highest tier whose credits it was given in it. */
    creditedPeriodStart: at(),
    creditedTier: text({ enum: ["basic", "pro", "ultra"] }),
    /** The latest for which money was paid: once that is back with the payer, the subscription grants nothing. */
    latestInvoiceId: text(),
    /** When, by the clock of the database, the provider was asked for this state. An older answer never replaces a newer. */
    observedAt: at().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index("subscriptions_team").on(table.teamId),
    index("subscriptions_user").on(table.userId),
    index("subscriptions_agent").on(table.agentId),
    index("subscriptions_checkout").on(table.checkoutId),
    // What the sweep looks at.
    index("subscriptions_current")
      .on(table.periodEnd)
      .where(sql`${table.status} NOT IN ('canceled', 'incomplete_expired')`),
  ],
);

/**
 * Money that moved: one row for each payment, and one for each time that a part of it went back. Rows are only added; of
 * a payment's row, what was taken back changes. Amounts are cents; those that went back are negative.
 */
export const transactions = pgTable(
  "transactions",
  {
    id: id(),
    teamId: uuid().references(() => teams.id, { onDelete: "set null" }),
    userId: uuid().references(() => users.id, { onDelete: "set null" }),
    type: text({
      enum: ["credit_purchase", "subscription", "one_time", "deploy_purchase", "refund", "restored"],
    }).notNull(),
    agentId: uuid().references(() => agents.id, { onDelete: "set null" }),
    baseId: uuid().references(() => bases.id, { onDelete: "set null" }),
    checkoutId: uuid().references(() => checkouts.id),
    /** Id at the provider. */
    subscriptionId: text(),
    /** Who made what was sold, and gets a share. */
    creatorId: uuid().references(() => users.id, { onDelete: "set null" }),
    amountCents: integer().notNull(),
    creatorCents: integer().notNull().default(0),
    platformCents: integer().notNull().default(0),
    currency: text().notNull(),
    /** Credits that the payment added, or that were taken back (negative). */
    credits: integer().notNull().default(0),
    /** A payment has one of these, and no two payments share one. */
    paymentIntentId: text(),
    invoiceId: text(),
    chargeId: text(),
    /** The payment that this row takes back, or restores. */
    reversesId: uuid(),
    /** Of a payment: cents that are back with the payer, by refund or dispute, and the credits taken for them. */
    reversedCents: integer().notNull().default(0),
    reversedCredits: integer().notNull().default(0),
    /** Of a payment: when, by the clock of the database, the provider was asked what went back. */
    observedAt: at(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("transactions_payment_intent_unique")
      .on(table.paymentIntentId)
      .where(sql`${table.reversesId} IS NULL`),
    uniqueIndex("transactions_invoice_unique")
      .on(table.invoiceId)
      .where(sql`${table.reversesId} IS NULL`),
    index("transactions_team").on(table.teamId, table.createdAt, table.id),
    index("transactions_creator").on(table.creatorId, table.createdAt),
    // Of what was sold lately, the hourly sweep reviews what is back with its payer.
    index("transactions_sold")
      .on(table.createdAt)
      .where(sql`${table.reversesId} IS NULL AND ${table.paymentIntentId} IS NOT NULL`),
    index("transactions_user").on(table.userId),
    index("transactions_checkout").on(table.checkoutId),
    index("transactions_agent").on(table.agentId),
    index("transactions_base").on(table.baseId),
    index("transactions_reverses").on(table.reversesId),
  ],
);

/** Payments that their payer contests at a bank. While it is open, and once it is lost, the payer has the money. */
export const disputes = pgTable(
  "disputes",
  {
    /** Id at the provider. */
    id: text().primaryKey(),
    transactionId: uuid()
      .notNull()
      .references(() => transactions.id),
    amountCents: integer().notNull(),
    /** As the provider calls it: `needs_response`, `won`, `lost`, … */
    status: text().notNull(),
    createdAt: createdAt(),
  },
  (table) => [index("disputes_transaction").on(table.transactionId)],
);

/** A creator's share of a payment, and its transfer. */
export const payouts = pgTable(
  "payouts",
  {
    id: id(),
    transactionId: uuid()
      .notNull()
      .unique("payouts_transaction_unique")
      .references(() => transactions.id),
    creatorId: uuid().references(() => users.id, { onDelete: "set null" }),
    amountCents: integer().notNull(),
    currency: text().notNull(),
    /** `pending` until the creator's account may receive it; `reversed` when all of it is taken back, or was never sent. */
    status: text({ enum: ["pending", "paid", "failed", "reversed"] })
      .notNull()
      .default("pending"),
    transferId: text(),
    /** Cents that are to be taken back from the transfer, see `payout_reversals`. */
    reversedCents: integer().notNull().default(0),
    attempts: integer().notNull().default(0),
    error: text(),
    createdAt: createdAt(),
    paidAt: at(),
  },
  (table) => [
    index("payouts_creator").on(table.creatorId),
    index("payouts_pending")
      .on(table.createdAt)
      .where(sql`${table.status} = 'pending'`),
  ],
);

/** Parts of a transfer that are taken back, because the payer has the money back: one for each time and transfer. */
export const payoutReversals = pgTable(
  "payout_reversals",
  {
    id: id(),
    payoutId: uuid()
      .notNull()
      .references(() => payouts.id),
    /** What went back to the payer. */
    transactionId: uuid()
      .notNull()
      .references(() => transactions.id),
    amountCents: integer().notNull(),
    /** Id at the provider; null until it is done. */
    reversalId: text(),
    createdAt: createdAt(),
  },
  (table) => [
    index("payout_reversals_payout").on(table.payoutId),
    index("payout_reversals_transaction").on(table.transactionId),
    index("payout_reversals_due")
      .on(table.createdAt)
      .where(sql`${table.reversalId} IS NULL`),
  ],
);

/**
 * Events of the provider that were verified. An event only says that an object changed, so nothing else of it is kept.
 * Rows are deleted after 90 days.
 */
export const stripeEvents = pgTable(
  "stripe_events",
  {
    /** Id at the provider. */
    id: text().primaryKey(),
    type: text().notNull(),
    objectId: text(),
    status: text({ enum: ["received", "done", "ignored", "failed"] })
      .notNull()
      .default("received"),
    attempts: integer().notNull().default(0),
    /** Of the last attempt that failed, in a sentence. */
    error: text(),
    createdAt: createdAt(),
    settledAt: at(),
  },
  (table) => [
    index("stripe_events_status").on(table.status, table.createdAt),
    index("stripe_events_created").on(table.createdAt),
  ],
);
