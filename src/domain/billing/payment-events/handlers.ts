import { settleCheckout, type SettleDeps } from "#src/domain/billing/checkouts/index.ts";
import { releasePayouts } from "#src/domain/billing/payouts/index.ts";
import { reviewCharge, reviewDispute } from "#src/domain/billing/reversals/index.ts";
import { requirePayments } from "#src/domain/billing/provider/index.ts";
import { bookInvoice, syncSubscription } from "#src/domain/billing/subscriptions/index.ts";

/** What the handlers of all events need. */
export type HandlerDeps = SettleDeps;

/** Reads an object that changed and applies what is true of it. Returns false for one that is not of this service. */
type Handler = (deps: HandlerDeps, objectId: string) => Promise<boolean>;

const settle: Handler = async (deps, sessionId) => (await settleCheckout(deps, sessionId)) !== undefined;

const sync: Handler = async (deps, subscriptionId) => {
  await syncSubscription(deps, subscriptionId);
  return true;
};

const followInvoice: Handler = async (deps, invoiceId) => {
  const invoice = await requirePayments(deps).getInvoice(invoiceId);
  if (invoice?.subscriptionId === undefined) return false;
  await syncSubscription(deps, invoice.subscriptionId);
  await bookInvoice(deps, invoiceId);
  return true;
};

const review: Handler = async (deps, chargeId) => {
  await reviewCharge(deps, chargeId);
  return true;
};

const followDispute: Handler = async (deps, disputeId) => {
  await reviewDispute(deps, disputeId);
  return true;
};

const release: Handler = async (deps, accountId) => {
  await releasePayouts(deps, accountId);
  return true;
};

/** The use case of each type of event; every other type is ignored. */
const HANDLERS: Readonly<Record<string, Handler>> = {
  "checkout.session.completed": settle,
  "checkout.session.async_payment_succeeded": settle,
  "checkout.session.async_payment_failed": settle,
  "checkout.session.expired": settle,
  "customer.subscription.created": sync,
  "customer.subscription.updated": sync,
  "customer.subscription.deleted": sync,
  "customer.subscription.paused": sync,
  "customer.subscription.resumed": sync,
  "customer.subscription.pending_update_applied": sync,
  "customer.subscription.pending_update_expired": sync,
  "customer.subscription.trial_will_end": sync,
  "invoice.paid": followInvoice,
  "invoice.payment_succeeded": followInvoice,
  "invoice.payment_failed": followInvoice,
  "charge.refunded": review,
  "charge.dispute.created": followDispute,
  "charge.dispute.closed": followDispute,
  "account.updated": release,
};

export function handlerOf(type: string): Handler | undefined {
  return Object.hasOwn(HANDLERS, type) ? HANDLERS[type] : undefined;
}
