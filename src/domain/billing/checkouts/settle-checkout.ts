import { publishPayout } from "#src/domain/billing/payouts/index.ts";
import { requirePayments } from "#src/domain/billing/provider/index.ts";
import {
  bookInvoice,
  type SubscriptionDeps,
  syncSubscription,
} from "#src/domain/billing/subscriptions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { CheckoutSession, Payments } from "#src/platform/payments/payments.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { disagreement } from "./agreement.ts";
import { modeOf, type Checkout, type CheckoutDeps } from "./checkout.ts";
import { checkoutById, checkoutBySession, endCheckout, storeSession } from "./queries/checkouts.ts";
import { markPaid, payCheckout } from "./queries/pay.ts";

export interface SettleDeps extends CheckoutDeps, SubscriptionDeps {
  queue: Queue;
}

/** What became of a checkout. */
export interface Settled {
  state: "paid" | "pending" | "failed" | "expired";
  checkout: Checkout;
  /** Whether this call granted what was bought. */
  isNew: boolean;
}

/** Ids come from callers, too, and become part of the provider's address. */
const SESSION_ID = /^\w{1,255}$/u;

/**
 * Grants what a session paid for, once. The provider is asked what is true; a session grants only what its checkout says, and
 * only when mode, customer, currency, and amount or price agree. Idempotent: callers are the payer's return, the provider's
 * events and the sweep. `undefined` for a session that is not of this service. With `teamId`, throws `forbidden` for another
 * team's. Throws what the provider throws.
 */
export async function settleCheckout(
  deps: SettleDeps,
  sessionId: string,
  { teamId }: { teamId?: string } = {},
): Promise<Settled | undefined> {
  if (!SESSION_ID.test(sessionId)) return undefined;
  const [known] = await checkoutBySession(deps.db, sessionId);
  if (known) refuseOtherTeam(known, teamId);
  if (known && isSettled(known)) return { state: "paid", checkout: known, isNew: false };
  const session = await requirePayments(deps).getCheckoutSession(sessionId);
  if (!session) return undefined;
  const checkout = known ?? (await checkoutOf(deps, session));
  if (!checkout) return undefined;
  refuseOtherTeam(checkout, teamId);
  const problem = disagreement(checkout, session);
  if (problem === undefined) return follow(deps, checkout, session);
  // A session that only names the checkout changes nothing of it.
  return known
    ? end(deps, checkout, "failed", problem)
    : { state: "failed", checkout: { ...checkout, error: problem }, isNew: false };
}

async function checkoutOf(
  { db }: CheckoutDeps,
  { reference }: CheckoutSession,
): Promise<Checkout | undefined> {
  if (reference === undefined || !isId(reference)) return undefined;
  const [checkout] = await checkoutById(db, reference);
  return checkout;
}

function refuseOtherTeam(checkout: Checkout, teamId: string | undefined): void {
  if (teamId === undefined || checkout.teamId === teamId) return;
  throw new AppError("forbidden", "This checkout is another team's");
}

const isSettled = ({ status }: Checkout) => status === "paid" || status === "refunded";

async function follow(deps: SettleDeps, checkout: Checkout, session: CheckoutSession): Promise<Settled> {
  if (session.status === "expired") return end(deps, checkout, "expired", null);
  if (session.status === "complete" && session.paymentStatus === "paid") return pay(deps, checkout, session);
  if (session.status === "complete" && (await isLost(requirePayments(deps), session))) {
    return end(deps, checkout, "failed", "The payment failed");
  }
  if (checkout.sessionId === null) await storeSession(deps.db, checkout.id, session);
  return { state: "pending", checkout, isNew: false };
}

/** Whether the payment that a completed session promised will not come. */
async function isLost(payments: Payments, session: CheckoutSession): Promise<boolean> {
  const { paymentIntentId, subscriptionId } = session;
  if (subscriptionId !== undefined) {
    const subscription = await payments.getSubscription(subscriptionId);
    return subscription?.status === "incomplete_expired" || subscription?.status === "canceled";
  }
  if (paymentIntentId === undefined) return false;
  const intent = await payments.getPaymentIntent(paymentIntentId);
  return intent?.status === "requires_payment_method" || intent?.status === "canceled";
}

async function pay(deps: SettleDeps, checkout: Checkout, session: CheckoutSession): Promise<Settled> {
  const isNew =
    modeOf(checkout) === "subscription"
      ? await subscribe(deps, checkout, session)
      : await payOnce(deps, checkout, session);
  return { state: "paid", checkout: { ...checkout, status: "paid", sessionId: session.id }, isNew };
}

async function payOnce(deps: SettleDeps, checkout: Checkout, session: CheckoutSession): Promise<boolean> {
  const { id: sessionId, paymentIntentId } = session;
  if (paymentIntentId === undefined) {
    throw new AppError("provider_failed", "The payment provider names no payment of this checkout");
  }
  const intent = await requirePayments(deps).getPaymentIntent(paymentIntentId);
  const paid = await payCheckout(deps.db, checkout, {
    sessionId,
    paymentIntentId,
    chargeId: intent?.chargeId ?? null,
    creatorShare: deps.config.CREATOR_REVENUE_SHARE,
  });
  if (paid) await publishPayout(deps.queue, paid);
  return paid !== undefined;
}

/** What is granted follows from the subscription; the checkout is paid last, so that an interruption is made up for. */
async function subscribe(deps: SettleDeps, checkout: Checkout, session: CheckoutSession): Promise<boolean> {
  const { id: sessionId, subscriptionId, invoiceId } = session;
  if (subscriptionId === undefined) {
    throw new AppError("provider_failed", "The payment provider names no subscription of this checkout");
  }
  await syncSubscription(deps, subscriptionId);
  if (invoiceId !== undefined) await bookInvoice(deps, invoiceId);
  return markPaid(deps.db, checkout.id, sessionId);
}

async function end(
  { db }: CheckoutDeps,
  checkout: Checkout,
  status: "failed" | "expired",
  error: string | null,
): Promise<Settled> {
  await endCheckout(db, checkout.id, { status, error });
  return { state: status, checkout: { ...checkout, status, error }, isNew: false };
}
