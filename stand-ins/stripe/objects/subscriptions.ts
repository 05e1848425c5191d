import type Stripe from "stripe";
import { type Books, record, seconds } from "../books.ts";
import { idOf, listOf, newId } from "../store.ts";
import { hasFailingCard } from "./customers.ts";
import {
  collectInvoice,
  type Collection,
  createInvoice,
  giveUpInvoice,
  type InvoicePosition,
} from "./invoices.ts";
import { addInterval } from "./periods.ts";
import { planOf } from "./prices.ts";

export type Subscription = Stripe.Subscription & { object: "subscription" };

/** A subscription from its beginning, with its first invoice. Its period is on its items. */
export function createSubscription(
  books: Books,
  wish: {
    customer: string;
    lines: readonly { price: Stripe.Price; quantity: number }[];
    metadata: Record<string, string>;
    description?: string | undefined;
  },
  outcome: Collection,
): Stripe.Subscription {
  const now = seconds(books);
  const id = newId("sub_");
  const items = wish.lines.map(({ price, quantity }) => newItem(books, id, price, quantity));
  const subscription: Subscription = {
    id,
    object: "subscription",
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: now,
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: { proration_discounts: "included" }, type: "flexible" },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: "charge_automatically",
    created: now,
    currency: items[0]?.price.currency ?? "usd",
    customer: wish.customer,
    customer_account: null,
    days_until_due: null,
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: wish.description ?? null,
    discounts: [],
    ended_at: null,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: "self" },
    },
    items: listOf(items, `/v1/subscription_items?subscription=${id}`),
    latest_invoice: null,
    livemode: false,
    managed_payments: null,
    metadata: wish.metadata,
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: "off",
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: now,
    status: "incomplete",
    test_clock: null,
    transfer_data: null,
    trial_end: null,
    trial_settings: null,
    trial_start: null,
  };
  const invoice = createInvoice(books, subscription, "subscription_create", positionsOf(books, subscription));
  collectInvoice(books, invoice.id, outcome);
  subscription.latest_invoice = invoice.id;
  if (outcome === "paid") subscription.status = "active";
  return record(books, subscription, "customer.subscription.created");
}

function newItem(
  books: Books,
  subscription: string,
  price: Stripe.Price,
  quantity: number,
): Stripe.SubscriptionItem {
  const now = seconds(books);
  return {
    id: newId("si_"),
    object: "subscription_item",
    billing_thresholds: null,
    created: now,
    current_period_end: addInterval(now, intervalOf(price)),
    current_period_start: now,
    current_trial: null,
    discounts: [],
    metadata: {},
    plan: planOf(price),
    price,
    quantity,
    subscription,
    tax_rates: [],
  };
}

/** The interval after which a price is due again. */
export function intervalOf({ recurring }: Stripe.Price): { interval: string; count: number } {
  return { interval: recurring?.interval ?? "month", count: recurring?.interval_count ?? 1 };
}

/** The positions for the current period of a subscription. */
export function positionsOf(books: Books, { items }: Stripe.Subscription): InvoicePosition[] {
  return items.data.map(({ price, quantity = 1, current_period_start: start, current_period_end: end }) => ({
    amount: (price.unit_amount ?? 0) * quantity,
    description: `${quantity} × ${productName(books, price)}`,
    price: price.id,
    product: idOf(price.product),
    quantity,
    period: { start, end },
    isProration: false,
  }));
}

/** The name that a payer sees. */
export function productName({ store }: Books, price: Stripe.Price): string {
  return store.find("product", idOf(price.product))?.name ?? "Unknown product";
}

/** The end of the current period, in seconds: the earliest of the items. */
export function periodEnd({ items }: Stripe.Subscription): number {
  return Math.min(...items.data.map(({ current_period_end: end }) => end));
}

/** Whether nothing can change this subscription any more. */
export function hasEnded({ status }: Stripe.Subscription): boolean {
  return status === "canceled" || status === "incomplete_expired";
}

/** Ends a subscription now. */
export function endSubscription(
  books: Books,
  subscriptionId: string,
  reason: "cancellation_requested" | "payment_failed",
): Stripe.Subscription {
  const subscription = books.store.get("subscription", subscriptionId);
  const now = seconds(books);
  if (subscription.latest_invoice !== null) {
    giveUpInvoice(books, idOf(subscription.latest_invoice), "uncollectible");
  }
  subscription.status = "canceled";
  subscription.canceled_at ??= now;
  subscription.ended_at = now;
  subscription.cancellation_details = { comment: null, feedback: null, feedback_option: null, reason };
  return record(books, subscription, "customer.subscription.deleted");
}

/** Invoices a subscription and collects from its customer's card; a declined one makes it `past_due`. */
export function bill(
  books: Books,
  subscription: Subscription,
  reason: "subscription_cycle" | "subscription_update",
  positions: readonly InvoicePosition[],
): Collection {
  const invoice = createInvoice(books, subscription, reason, positions);
  subscription.latest_invoice = invoice.id;
  const isDeclined = invoice.amount_due > 0 && hasFailingCard(books, idOf(subscription.customer));
  const outcome = isDeclined ? "declined" : "paid";
  collectInvoice(books, invoice.id, outcome);
  subscription.status = isDeclined ? "past_due" : "active";
  return outcome;
}

/** Collects what a subscription still owes, after its customer has another card. */
export function payOpenInvoice(books: Books, subscriptionId: string): Stripe.Subscription {
  const subscription = books.store.get("subscription", subscriptionId);
  if (subscription.latest_invoice === null || subscription.status !== "past_due") return subscription;
  const invoice = books.store.get("invoice", idOf(subscription.latest_invoice));
  if (invoice.status !== "open" || hasFailingCard(books, idOf(subscription.customer))) return subscription;
  collectInvoice(books, invoice.id, "paid");
  subscription.status = "active";
  return record(books, subscription, "customer.subscription.updated");
}
