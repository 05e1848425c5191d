import type Stripe from "stripe";
import { type Books, record, seconds } from "../books.ts";
import { idOf, newId } from "../store.ts";
import { newCharge } from "./charges.ts";

/** What a payment is for. */
interface Payment {
  amount: number;
  currency: string;
  customer: string | null;
  metadata?: Record<string, string> | undefined;
  description?: string | undefined;
  transferGroup?: string | undefined;
}

type Intent = Stripe.PaymentIntent & { object: "payment_intent" };

/** Creates a payment that nothing was paid of yet. */
export function createIntent(books: Books, payment: Payment): Stripe.PaymentIntent {
  const id = newId("pi_");
  const intent: Intent = {
    id,
    object: "payment_intent",
    allowed_payment_method_types: null,
    amount: payment.amount,
    amount_capturable: 0,
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: "automatic_async",
    client_secret: `${id}_secret_${newId("")}`,
    confirmation_method: "automatic",
    created: seconds(books),
    currency: payment.currency,
    customer: payment.customer,
    customer_account: null,
    description: payment.description ?? null,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata: payment.metadata ?? {},
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: null,
    payment_method_types: ["card", "us_bank_account"],
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: "requires_payment_method",
    transfer_group: payment.transferGroup ?? null,
  };
  return record(books, intent, "payment_intent.created");
}

/** The payment succeeds, at once or after it was processing. */
export function succeedIntent(books: Books, intentId: string): Stripe.PaymentIntent {
  const intent = intentOf(books, intentId);
  const charge = chargeInProgress(books, intent);
  charge.status = "succeeded";
  charge.paid = true;
  charge.captured = true;
  charge.amount_captured = charge.amount;
  charge.balance_transaction = newId("txn_");
  record(books, charge, "charge.succeeded");
  intent.status = "succeeded";
  intent.amount_received = intent.amount;
  intent.last_payment_error = null;
  intent.latest_charge = charge.id;
  intent.processing = null;
  return record(books, intent, "payment_intent.succeeded");
}

/** The payment is under way, as that by bank debit is for days. */
export function processIntent(books: Books, intentId: string): Stripe.PaymentIntent {
  const intent = intentOf(books, intentId);
  const charge = chargeInProgress(books, intent);
  charge.status = "pending";
  record(books, charge, "charge.pending");
  intent.status = "processing";
  intent.latest_charge = charge.id;
  return record(books, intent, "payment_intent.processing");
}

/** The payment is declined; another attempt may follow. */
export function declineIntent(books: Books, intentId: string): Stripe.PaymentIntent {
  const intent = intentOf(books, intentId);
  const charge = chargeInProgress(books, intent);
  charge.status = "failed";
  charge.failure_code = "card_declined";
  charge.failure_message = DECLINED;
  record(books, charge, "charge.failed");
  intent.status = "requires_payment_method";
  intent.latest_charge = charge.id;
  intent.processing = null;
  intent.last_payment_error = {
    type: "card_error",
    code: "card_declined",
    decline_code: "generic_decline",
    message: DECLINED,
    charge: charge.id,
  };
  return record(books, intent, "payment_intent.payment_failed");
}

/** Ends a payment of which nothing was paid. */
export function cancelIntent(books: Books, intentId: string): void {
  const intent = intentOf(books, intentId);
  if (intent.status === "succeeded" || intent.status === "canceled") return;
  intent.status = "canceled";
  intent.canceled_at = seconds(books);
  record(books, intent, "payment_intent.canceled");
}

/** The sentence with which a card is declined. */
export const DECLINED = "Your card was declined.";

function intentOf({ store }: Books, id: string): Intent {
  return { ...store.get("payment_intent", id), object: "payment_intent" };
}

/** The charge that is pending, or else a new one. */
function chargeInProgress(books: Books, intent: Intent): Stripe.Charge & { object: "charge" } {
  const latest = intent.latest_charge === null ? undefined : idOf(intent.latest_charge);
  const charge = latest === undefined ? undefined : books.store.find("charge", latest);
  return charge?.status === "pending" ? charge : newCharge(books, intent);
}
