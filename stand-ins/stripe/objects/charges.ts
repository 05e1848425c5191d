import type Stripe from "stripe";
import { type Books, record, seconds } from "../books.ts";
import { invalidRequest } from "../api-error.ts";
import { includedNote } from "../render.ts";
import { idOf, listOf, newId } from "../store.ts";

/** A charge of a payment, before its outcome. */
export function newCharge(books: Books, intent: Stripe.PaymentIntent): Stripe.Charge & { object: "charge" } {
  return {
    id: newId("ch_"),
    object: "charge",
    amount: intent.amount,
    amount_captured: 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    calculated_statement_descriptor: "STAND-IN",
    captured: false,
    created: seconds(books),
    currency: intent.currency,
    customer: intent.customer,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    fraud_details: {},
    livemode: false,
    metadata: intent.metadata,
    on_behalf_of: null,
    outcome: null,
    paid: false,
    payment_intent: intent.id,
    payment_method: null,
    payment_method_details: { type: "card" },
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: "pending",
    transfer_data: null,
    transfer_group: intent.transfer_group,
  };
}

/** Gives a customer money back: all that is left of a charge, or a part. */
export function refundCharge(books: Books, chargeId: string, part?: number): Stripe.Charge {
  const charge = books.store.get("charge", chargeId);
  const left = charge.amount_captured - charge.amount_refunded;
  const amount = part ?? left;
  if (charge.status !== "succeeded" || left === 0) {
    throw invalidRequest(`Charge ${charge.id} has already been refunded.`, "charge_already_refunded");
  }
  if (amount < 1 || amount > left) {
    throw invalidRequest(`Refund amount is greater than unrefunded amount on charge (${left})`);
  }
  const refund: Stripe.Refund & { object: "refund" } = {
    id: newId("re_"),
    object: "refund",
    amount,
    balance_transaction: newId("txn_"),
    charge: charge.id,
    created: seconds(books),
    currency: charge.currency,
    customer: charge.customer === null ? null : idOf(charge.customer),
    customer_account: null,
    metadata: {},
    payment_intent: charge.payment_intent,
    payment_method: null,
    reason: null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: "succeeded",
    transfer_reversal: null,
  };
  record(books, refund, "refund.created");
  const refunds = books.store.listBy("refund", "charge", charge.id);
  books.store.setNote(
    charge.id,
    includedNote("refunds"),
    listOf(refunds, `/v1/charges/${charge.id}/refunds`),
  );
  charge.amount_refunded += amount;
  charge.refunded = charge.amount_refunded === charge.amount;
  return record(books, charge, "charge.refunded");
}
