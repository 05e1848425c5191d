import type { CheckoutSession } from "#src/platform/payments/payments.ts";
import { modeOf, type Checkout } from "./checkout.ts";

/** Why a session is not what its checkout asked for, as a sentence; `undefined` when it is. */
export function disagreement(checkout: Checkout, session: CheckoutSession): string | undefined {
  const { sessionId, priceId } = checkout;
  if (session.reference !== checkout.id || (sessionId !== null && sessionId !== session.id)) {
    return "The payment is for something else";
  }
  if (session.mode !== modeOf(checkout)) return "The payment is of another kind";
  if (session.customerId !== checkout.customerId) return "The payment is another customer's";
  if (session.currency !== checkout.currency) return "The payment is in another currency";
  if (priceId === null) {
    return session.amountCents === checkout.amountCents ? undefined : "The payment has another amount";
  }
  const [price, ...others] = session.priceIds;
  return price === priceId && others.length === 0 ? undefined : "The payment is for another price";
}
