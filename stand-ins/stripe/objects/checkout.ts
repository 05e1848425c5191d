import type Stripe from "stripe";
import { type Books, record, seconds } from "../books.ts";
import { invalidRequest } from "../api-error.ts";
import { idOf } from "../store.ts";
import { addCustomer } from "./customers.ts";
import { collectInvoice, giveUpInvoice } from "./invoices.ts";
import {
  cancelIntent,
  createIntent,
  declineIntent,
  processIntent,
  succeedIntent,
} from "./payment-intents.ts";
import { planOfSession } from "./sessions.ts";
import { createSubscription } from "./subscriptions.ts";
import { expireIncomplete } from "./subscription-changes.ts";

type Session = Stripe.Checkout.Session & { object: "checkout.session" };

/**
 * The payer pays, or promises to (`later`, as by bank debit). A session that waits for a promised payment receives it.
 */
export function paySession(books: Books, id: string, { later }: { later: boolean }): Stripe.Checkout.Session {
  const session = sessionOf(books, id);
  if (isPromised(session) && !later) return receivePromised(books, session);
  if (session.status !== "open") throw invalidRequest(`This Checkout Session is ${session.status}.`);
  session.customer ??= session.customer_creation === "always" ? newCustomerOf(books, session) : null;
  if (session.mode === "subscription") subscribe(books, session, later);
  else payOnce(books, session, later);
  const email = session.customer === null ? session.customer_email : emailOf(books, session.customer);
  session.customer_details = {
    address: null,
    business_name: null,
    email,
    individual_name: null,
    name: null,
    phone: null,
    tax_exempt: "none",
    tax_ids: [],
  };
  session.status = "complete";
  session.payment_status = later ? "unpaid" : "paid";
  if (session.amount_total === 0) session.payment_status = "no_payment_required";
  // A session that is over has no page.
  session.url = null;
  return record(books, session, "checkout.session.completed");
}

function payOnce(books: Books, session: Session, later: boolean): void {
  if (session.amount_total === 0) return;
  const intentId = intentOf(books, session);
  if (later) processIntent(books, intentId);
  else succeedIntent(books, intentId);
}

function intentOf(books: Books, session: Session): string {
  if (session.payment_intent !== null) return idOf(session.payment_intent);
  const { metadata, description, transferGroup } = planOfSession(books, session.id);
  const intent = createIntent(books, {
    amount: session.amount_total ?? 0,
    currency: session.currency ?? "usd",
    customer: session.customer === null ? null : idOf(session.customer),
    metadata,
    description,
    transferGroup,
  });
  session.payment_intent = intent.id;
  return intent.id;
}

function subscribe(books: Books, session: Session, later: boolean): void {
  const { lines, metadata, description } = planOfSession(books, session.id);
  const customer = session.customer === null ? newCustomerOf(books, session) : idOf(session.customer);
  session.customer = customer;
  const subscription = createSubscription(
    books,
    {
      customer,
      lines: lines.map(({ price, quantity }) => ({ price: books.store.get("price", price), quantity })),
      metadata,
      description,
    },
    later ? "processing" : "paid",
  );
  session.subscription = subscription.id;
  session.invoice = subscription.latest_invoice;
}

function newCustomerOf(books: Books, { customer_email: email }: Session): string {
  return addCustomer(books, { email: email ?? "payer@standin.test", metadata: {} }).id;
}

function emailOf({ store }: Books, customer: string | { id: string }): string | null {
  return store.get("customer", idOf(customer)).email;
}

/** Whether the payer has left, and the money is still to come. */
export function isPromised({ status, payment_status: payment }: Stripe.Checkout.Session): boolean {
  return status === "complete" && payment === "unpaid";
}

function receivePromised(books: Books, session: Session): Stripe.Checkout.Session {
  if (session.payment_intent !== null) succeedIntent(books, idOf(session.payment_intent));
  if (session.invoice !== null) collectInvoice(books, idOf(session.invoice), "paid");
  if (session.subscription !== null) {
    const subscription = books.store.get("subscription", idOf(session.subscription));
    if (subscription.status === "incomplete") subscription.status = "active";
    record(books, subscription, "customer.subscription.updated");
  }
  session.payment_status = "paid";
  return record(books, session, "checkout.session.async_payment_succeeded");
}

/** The card is declined, after which the payer may try again; or a promised payment fails for good. */
export function failSession(books: Books, id: string): Stripe.Checkout.Session {
  const session = sessionOf(books, id);
  if (session.status === "open") {
    if (session.mode === "payment") declineIntent(books, intentOf(books, session));
    return record(books, session);
  }
  if (!isPromised(session)) throw invalidRequest(`This Checkout Session is ${session.status}.`);
  if (session.payment_intent !== null) declineIntent(books, idOf(session.payment_intent));
  if (session.invoice !== null) {
    collectInvoice(books, idOf(session.invoice), "declined");
    giveUpInvoice(books, idOf(session.invoice), "void");
  }
  if (session.subscription !== null) expireIncomplete(books, idOf(session.subscription));
  return record(books, session, "checkout.session.async_payment_failed");
}

/** The session's time is over, before it was paid. */
export function expireSession(books: Books, id: string): Stripe.Checkout.Session {
  const session = sessionOf(books, id);
  if (session.status !== "open") {
    throw invalidRequest(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${session.status}.`,
    );
  }
  if (session.payment_intent !== null) cancelIntent(books, idOf(session.payment_intent));
  session.status = "expired";
  session.url = null;
  return record(books, session, "checkout.session.expired");
}

/** Expires the sessions whose time is over. */
export function expireDueSessions(books: Books): void {
  for (const id of books.store.overdueSessions(seconds(books))) expireSession(books, id);
}

function sessionOf({ store }: Books, id: string): Session {
  return store.get("checkout.session", id);
}
