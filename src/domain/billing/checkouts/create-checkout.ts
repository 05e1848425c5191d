import { AppError } from "#src/lib/errors.ts";
import type { CheckoutSession, NewCheckout } from "#src/platform/payments/payments.ts";
import { modeOf, type Checkout, type CheckoutDeps, type CheckoutInput } from "./checkout.ts";
import { ensureCustomer } from "./customer.ts";
import { claimCheckout, failWithoutSession, storeSession } from "./queries/checkouts.ts";
import { requirePayments } from "#src/domain/billing/provider/index.ts";
import { settleCheckout, type SettleDeps } from "./settle-checkout.ts";

/** A page of the provider on which the payer pays. */
export interface OpenSession {
  sessionId: string;
  url: string;
}

/** Purchases that a team may repeat while an earlier payment for the same is on its way. */
const REPEATABLE: ReadonlySet<string> = new Set(["credit_purchase", "deploy_purchase"]);

/** Minutes during which the same purchase gets the same session again. */
const REUSED_MINUTES = 30;

/** The same for what a team buys only once. A bank may take two weeks to pay, and a second payment would buy nothing. */
const ONCE_MINUTES = 14 * 24 * 60;

/** Most earlier checkouts of the same purchase that are checked before a new one is created. */
const MAX_OVER = 3;

/**
 * Time that a payer has, counted from the checkout's row. The provider demands at least half an hour from the session's
 * creation, which may come later than the row.
 */
const OPEN_MS = 2 * 60 * 60 * 1000;

/**
 * Opens a page of the provider on which the team pays. It stores a row first and creates the session from the row alone, so
 * that a repeated call finds or creates the same session. The same purchase gets its open session again: for 30 minutes, or
 * for two weeks if a team buys it only once. Throws `conflict` if such a purchase is paid or its payment is on its way,
 * `not_found` for a deleted team, `unavailable` and `provider_failed`.
 */
export async function createCheckout(deps: SettleDeps, input: CheckoutInput): Promise<OpenSession> {
  await ensureCustomer(deps, input.teamId);
  const over: string[] = [];
  while (over.length <= MAX_OVER) {
    // A team may have many payments on their way. The last round does not look at them and creates a checkout.
    const checkout = await claimCheckout(deps.db, input, {
      over: over.length < MAX_OVER ? over : "all",
      minutes: REPEATABLE.has(input.type) ? REUSED_MINUTES : ONCE_MINUTES,
    });
    if (!checkout) throw new AppError("not_found", "Team not found");
    const { id, url, status } = await sessionOf(deps, checkout);
    if (status === "open" && url !== undefined) return { sessionId: id, url };
    const settled = await settleCheckout(deps, id);
    const isPaid = settled?.state === "paid" || settled?.state === "pending";
    if (isPaid && !REPEATABLE.has(input.type)) {
      throw new AppError("conflict", "A payment for this is made already. Reload the page in a moment");
    }
    over.push(checkout.id);
  }
  throw new AppError("unavailable", "The payment provider opened no page for this. Try again in a moment");
}

/** Returns the session of a checkout. Creates the session if there is none. */
async function sessionOf(deps: CheckoutDeps, checkout: Checkout): Promise<CheckoutSession> {
  const payments = requirePayments(deps);
  if (checkout.sessionId !== null) {
    const session = await payments.getCheckoutSession(checkout.sessionId);
    if (!session) throw new AppError("provider_failed", "The payment provider does not know this checkout");
    return session;
  }
  try {
    const session = await payments.createCheckoutSession(sessionFor(checkout), `checkout-${checkout.id}`);
    await storeSession(deps.db, checkout.id, session);
    return session;
  } catch (error) {
    // For a day the provider answers the same idempotency key with the same failure, so the next call needs another row.
    if (error instanceof AppError && error.code === "provider_failed") {
      await failWithoutSession(deps.db, checkout.id, error.message);
    }
    throw error;
  }
}

/** Returns the values that a session is created with. They come from the row alone: a repeated call must send the same. */
function sessionFor(checkout: Checkout): NewCheckout {
  const { terms, priceId, amountCents, currency, returnOrigin } = checkout;
  return {
    mode: modeOf(checkout),
    customerId: checkout.customerId,
    item:
      priceId === null ? { name: terms.name, amountCents, currency, interval: terms.interval } : { priceId },
    reference: checkout.id,
    metadata: terms.metadata,
    successUrl: `${returnOrigin}${terms.successPath}`,
    cancelUrl: `${returnOrigin}${terms.cancelPath}`,
    expiresAt: new Date(checkout.createdAt.getTime() + OPEN_MS),
  };
}
