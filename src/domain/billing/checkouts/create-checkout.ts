import { AppError } from "#src/lib/errors.ts";
import type { CheckoutSession, NewCheckout } from "#src/platform/payments/payments.ts";
import { modeOf, type Checkout, type CheckoutDeps, type CheckoutWish } from "./checkout.ts";
import { ensureCustomer } from "./customer.ts";
import { claimCheckout, failWithoutSession, storeSession } from "./queries/checkouts.ts";
import { requirePayments } from "#src/domain/billing/provider/index.ts";
import { settleCheckout, type SettleDeps } from "./settle-checkout.ts";

/** A page of the provider on which the payer pays. */
export interface OpenSession {
  sessionId: string;
  url: string;
}

/** What may be bought again while an earlier payment for it is on its way. */
const REPEATABLE: ReadonlySet<string> = new Set(["credit_purchase", "deploy_purchase"]);

/** Minutes for which the same wish gets its session again. */
const REUSED_MINUTES = 30;

/** The same for what is bought once: a bank takes up to two weeks to pay, and a second payment would be for nothing. */
const ONCE_MINUTES = 14 * 24 * 60;

/** How many sessions of a wish that are over are looked at, before it gets one of its own. */
const MAX_OVER = 3;

/** Time that a payer has. Longer than the provider's least, half an hour, also for a session that is created late. */
const OPEN_MS = 2 * 60 * 60 * 1000;

/**
 * Opens a page on which the team pays: the row first, then the session from the row alone, so that a repetition finds or
 * makes the same one. The same wish of a team within 30 minutes gets its open session again, and one for what is bought once
 * as long as a session is open or its payment on its way. Throws `conflict` when it is paid already, `not_found` for a deleted
 * team, `unavailable` and `provider_failed`.
 */
export async function createCheckout(deps: SettleDeps, wish: CheckoutWish): Promise<OpenSession> {
  await ensureCustomer(deps, wish.teamId);
  const over: string[] = [];
  while (over.length <= MAX_OVER) {
    // Payments that are promised and on their way may be many.
    const checkout = await claimCheckout(deps.db, wish, {
      over: over.length < MAX_OVER ? over : "all",
      minutes: REPEATABLE.has(wish.type) ? REUSED_MINUTES : ONCE_MINUTES,
    });
    if (!checkout) throw new AppError("not_found", "Team not found");
    const { id, url, status } = await sessionOf(deps, checkout);
    if (status === "open" && url !== undefined) return { sessionId: id, url };
    const settled = await settleCheckout(deps, id);
    const isPaid = settled?.state === "paid" || settled?.state === "pending";
    if (isPaid && !REPEATABLE.has(wish.type)) {
      throw new AppError("conflict", "A payment for this is made already. Reload the page in a moment");
    }
    over.push(checkout.id);
  }
  throw new AppError("unavailable", "The payment provider opened no page for this. Try again in a moment");
}

/** The session of a checkout, which is created when there is none. */
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
    // The provider repeats a failure under its key for a day, so the next wish needs another row.
    if (error instanceof AppError && error.code === "provider_failed") {
      await failWithoutSession(deps.db, checkout.id, error.message);
    }
    throw error;
  }
}

/** What a session is created with: from the row alone, because a repeated call must not differ. */
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
