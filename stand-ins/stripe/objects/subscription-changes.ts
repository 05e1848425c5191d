import type Stripe from "stripe";
import { z } from "zod";
import { type Books, record, seconds } from "../books.ts";
import { ApiError, invalidParameter, invalidRequest, missingObject } from "../api-error.ts";
import type { Form } from "../form.ts";
import { bool, changedMetadata, int, metadata, readParameters } from "../parameters.ts";
import { idOf } from "../store.ts";
import { InvoicePosition } from "./invoices.ts";
import { DECLINED } from "./payment-intents.ts";
import { addInterval } from "./periods.ts";
import { planOf } from "./prices.ts";
import {
  bill,
  endSubscription,
  hasEnded,
  intervalOf,
  periodEnd,
  positionsOf,
  productName,
  type Subscription,
} from "./subscriptions.ts";

const UpdateSubscription = z.strictObject({
  items: z
    .array(
      z.strictObject({ id: z.string().optional(), price: z.string().optional(), quantity: int.optional() }),
    )
    .optional(),
  cancel_at_period_end: bool.optional(),
  cancel_at: z
    .union([z.literal(""), z.literal("min_period_end"), z.literal("max_period_end"), int])
    .optional(),
  metadata: metadata.optional(),
  description: z.string().optional(),
  proration_behavior: z.enum(["create_prorations", "always_invoice", "none"]).default("create_prorations"),
  payment_behavior: z.enum(["allow_incomplete", "error_if_incomplete"]).default("allow_incomplete"),
  billing_cycle_anchor: z.enum(["now", "unchanged"]).default("unchanged"),
});

/** https://docs.stripe.com/api/subscriptions/update */
export function updateSubscription(books: Books, id: string, form: Form): Stripe.Subscription {
  const wish = readParameters(UpdateSubscription, form);
  const subscription = books.store.get("subscription", id);
  if (hasEnded(subscription) && Object.keys(form).some((name) => name !== "metadata")) {
    throw invalidRequest("A canceled subscription can only update its cancellation_details and metadata.");
  }
  if (wish.metadata !== undefined || "metadata" in form) {
    subscription.metadata = changedMetadata(subscription.metadata, wish.metadata);
  }
  if (wish.description !== undefined) subscription.description = wish.description || null;
  changeCancellation(books, subscription, wish);
  if (wish.items) changeItem(books, subscription, wish.items, wish);
  return record(books, subscription, "customer.subscription.updated");
}

function changeCancellation(
  books: Books,
  subscription: Subscription,
  wish: Pick<z.infer<typeof UpdateSubscription>, "cancel_at" | "cancel_at_period_end">,
): void {
  if (wish.cancel_at !== undefined && wish.cancel_at_period_end !== undefined) {
    throw invalidParameter(
      "You may only specify one of these: cancel_at, cancel_at_period_end.",
      "cancel_at",
    );
  }
  if (wish.cancel_at_period_end !== undefined) {
    subscription.cancel_at_period_end = wish.cancel_at_period_end;
    subscription.cancel_at = wish.cancel_at_period_end ? periodEnd(subscription) : null;
  }
  if (wish.cancel_at !== undefined) {
    subscription.cancel_at_period_end = false;
    if (wish.cancel_at === "") subscription.cancel_at = null;
    else
      subscription.cancel_at = typeof wish.cancel_at === "number" ? wish.cancel_at : periodEnd(subscription);
  }
  if (wish.cancel_at !== undefined || wish.cancel_at_period_end !== undefined) {
    subscription.canceled_at = subscription.cancel_at === null ? null : seconds(books);
  }
}

function changeItem(
  books: Books,
  subscription: Subscription,
  [change, ...others]: readonly {
    id?: string | undefined;
    price?: string | undefined;
    quantity?: number | undefined;
  }[],
  how: Pick<
    z.infer<typeof UpdateSubscription>,
    "proration_behavior" | "payment_behavior" | "billing_cycle_anchor"
  >,
): void {
  const [item] = subscription.items.data;
  if (!change || !item || others.length > 0 || change.id === undefined) {
    throw invalidParameter("The stand-in changes the only item of a subscription: items[0][id]", "items");
  }
  if (item.id !== change.id) throw missingObject("subscription item", change.id, "items[0][id]");
  const price = books.store.get("price", change.price ?? item.price.id, "items[0][price]");
  if (!price.recurring) throw invalidParameter("The price must be recurring.", "items[0][price]");
  if (price.currency !== subscription.currency) {
    throw invalidParameter("The price's currency must be that of the subscription.", "items[0][price]");
  }
  changePrice(books, subscription, item, { price, quantity: change.quantity ?? item.quantity ?? 1 }, how);
}

/** A new price takes effect at once; one with another interval begins a new period. */
function changePrice(
  books: Books,
  subscription: Subscription,
  item: Stripe.SubscriptionItem,
  next: { price: Stripe.Price; quantity: number },
  how: Pick<
    z.infer<typeof UpdateSubscription>,
    "proration_behavior" | "payment_behavior" | "billing_cycle_anchor"
  >,
): void {
  const before = { price: item.price, quantity: item.quantity ?? 1 };
  const now = seconds(books);
  const period = { start: now, end: item.current_period_end };
  const left = Math.max(0, period.end - now) / Math.max(1, period.end - item.current_period_start);
  const unused = prorated(books, before, -left, period);
  item.price = next.price;
  item.plan = planOf(next.price);
  item.quantity = next.quantity;
  const [one, other] = [intervalOf(before.price), intervalOf(next.price)];
  const isSameInterval = one.interval === other.interval && one.count === other.count;
  const isNewPeriod = how.billing_cycle_anchor === "now" || !isSameInterval;
  const credit = how.proration_behavior === "none" ? [] : [unused];
  if (isNewPeriod) {
    beginPeriod(item, now, other);
    subscription.billing_cycle_anchor = item.current_period_start;
    billOrRefuse(books, subscription, [...credit, ...positionsOf(books, subscription)], how);
    return;
  }
  if (how.proration_behavior === "none") return;
  const positions = [...credit, prorated(books, next, left, period)];
  if (how.proration_behavior === "always_invoice") billOrRefuse(books, subscription, positions, how);
  else setPending(books, subscription.id, [...pendingOf(books, subscription.id), ...positions]);
}

function billOrRefuse(
  books: Books,
  subscription: Subscription,
  positions: readonly InvoicePosition[],
  { payment_behavior: behavior }: { payment_behavior: string },
): void {
  const outcome = bill(books, subscription, "subscription_update", positions);
  if (outcome === "declined" && behavior === "error_if_incomplete") {
    throw new ApiError(402, { type: "card_error", code: "card_declined", message: DECLINED });
  }
}

function prorated(
  books: Books,
  { price, quantity }: { price: Stripe.Price; quantity: number },
  part: number,
  period: { start: number; end: number },
): InvoicePosition {
  const isCredit = part < 0;
  return {
    amount: Math.round((price.unit_amount ?? 0) * quantity * part),
    description: `${isCredit ? "Unused" : "Remaining"} time on ${productName(books, price)}`,
    price: price.id,
    product: idOf(price.product),
    quantity,
    period,
    isProration: true,
  };
}

const PENDING = "pending positions";

function pendingOf({ store }: Books, id: string): InvoicePosition[] {
  return store.note(id, PENDING, z.array(InvoicePosition)) ?? [];
}

function setPending({ store }: Books, id: string, positions: readonly InvoicePosition[]): void {
  store.setNote(id, PENDING, positions);
}

function beginPeriod(
  item: Stripe.SubscriptionItem,
  now: number,
  interval: { interval: string; count: number },
): void {
  // Two periods never begin in the same second, however fast they follow one another.
  const start = Math.max(now, item.current_period_start + 1);
  item.current_period_start = start;
  item.current_period_end = addInterval(start, interval);
}

/**
 * Has the current period end now, as if its time were over: the next one begins and is paid, or the subscription ends
 * because that was wished, or because its last invoice stayed unpaid.
 */
export function advanceSubscription(books: Books, id: string): Stripe.Subscription {
  const subscription = books.store.get("subscription", id);
  if (hasEnded(subscription)) throw invalidRequest("This subscription has ended.");
  if (subscription.status === "incomplete") return expireIncomplete(books, id);
  if (subscription.status === "past_due") return endSubscription(books, id, "payment_failed");
  const ends = subscription.cancel_at !== null && subscription.cancel_at <= periodEnd(subscription);
  if (subscription.cancel_at_period_end || ends) return endSubscription(books, id, "cancellation_requested");
  const now = seconds(books);
  for (const item of subscription.items.data) beginPeriod(item, now, intervalOf(item.price));
  const positions = [...pendingOf(books, id), ...positionsOf(books, subscription)];
  setPending(books, id, []);
  bill(books, subscription, "subscription_cycle", positions);
  return record(books, subscription, "customer.subscription.updated");
}

/** The first payment failed, or was not made in time. */
export function expireIncomplete(books: Books, id: string): Stripe.Subscription {
  const subscription = books.store.get("subscription", id);
  subscription.status = "incomplete_expired";
  subscription.ended_at = seconds(books);
  return record(books, subscription, "customer.subscription.updated");
}

const CancelSubscription = z.strictObject({ invoice_now: bool.optional(), prorate: bool.optional() });

/** https://docs.stripe.com/api/subscriptions/cancel */
export function cancelSubscription(books: Books, id: string, form: Form): Stripe.Subscription {
  readParameters(CancelSubscription, form);
  if (hasEnded(books.store.get("subscription", id))) throw missingObject("subscription", id);
  return endSubscription(books, id, "cancellation_requested");
}
