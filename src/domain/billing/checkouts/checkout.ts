import type { CheckoutTerms, CHECKOUT_TYPES, checkouts } from "#src/db/schema/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Payments } from "#src/platform/payments/payments.ts";

export interface CheckoutDeps {
  db: Db;
  /** Undefined when payments are not configured. */
  payments: Payments | undefined;
}

/** A row of `checkouts`. */
export type Checkout = typeof checkouts.$inferSelect;

export type CheckoutType = (typeof CHECKOUT_TYPES)[number];

/** A request to pay for something, for a team. */
export interface CheckoutInput {
  userId: string;
  teamId: string;
  type: CheckoutType;
  /** See `checkouts.item`. */
  item: string;
  /** What the payer reads. */
  name: string;
  amountCents: number;
  currency: "usd";
  /** A price of the provider, to be subscribed to. */
  priceId?: string | undefined;
  /** The amount is paid again each time: a subscription. */
  interval?: "month" | "year" | undefined;
  /** Credits that the payment adds. */
  credits?: number | undefined;
  /** Further metadata than team, user, type and checkout. */
  metadata?: Readonly<Record<string, string>>;
  /** An origin that the service accepts, see `returnOriginOf`. */
  returnOrigin: string;
  /** Below the origin; `{CHECKOUT_SESSION_ID}` stands for the session's id. */
  paths: { success: string; cancel: string };
}

/** Whether a checkout begins a subscription, or is paid once. */
export function modeOf({
  priceId,
  terms,
}: {
  priceId: string | null;
  terms: Pick<CheckoutTerms, "interval">;
}) {
  return priceId !== null || terms.interval !== undefined ? "subscription" : "payment";
}
