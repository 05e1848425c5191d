import type Stripe from "stripe";
import { z } from "zod";
import { type Books, record, seconds } from "../books.ts";
import { invalidRequest } from "../api-error.ts";
import type { Form } from "../form.ts";
import { readParameters } from "../parameters.ts";
import { listOf, newId } from "../store.ts";

const ListDisputes = z.strictObject({
  charge: z.string(),
  limit: z.coerce.number().int().min(1).max(100).default(10),
});

/** https://docs.stripe.com/api/disputes/list */
export function listDisputes(books: Books, form: Form): Stripe.ApiList<Stripe.Dispute> {
  const { charge, limit } = readParameters(ListDisputes, form);
  return listOf(books.store.listBy("dispute", "charge", charge).slice(0, limit), "/v1/disputes");
}

/** A customer contests a charge at their bank: the money is gone until the dispute is won. */
export function disputeCharge(books: Books, chargeId: string): Stripe.Dispute {
  const charge = books.store.get("charge", chargeId);
  if (charge.status !== "succeeded" || charge.disputed) {
    throw invalidRequest(`Charge ${charge.id} cannot be disputed.`);
  }
  charge.disputed = true;
  record(books, charge, "charge.updated");
  const dispute: Stripe.Dispute & { object: "dispute" } = {
    id: newId("du_"),
    object: "dispute",
    amount: charge.amount - charge.amount_refunded,
    balance_transactions: [],
    charge: charge.id,
    created: seconds(books),
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: NO_EVIDENCE,
    evidence_details: {
      due_by: seconds(books) + 7 * 86_400,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: "not_submitted",
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    reason: "general",
    status: "needs_response",
  };
  return record(books, dispute, "charge.dispute.created", "charge.dispute.funds_withdrawn");
}

/** The bank decides. */
export function closeDispute(books: Books, disputeId: string, outcome: "won" | "lost"): Stripe.Dispute {
  const dispute = books.store.get("dispute", disputeId);
  if (dispute.status === "won" || dispute.status === "lost") {
    throw invalidRequest(`Dispute ${dispute.id} is already closed.`);
  }
  dispute.status = outcome;
  return outcome === "won"
    ? record(books, dispute, "charge.dispute.closed", "charge.dispute.funds_reinstated")
    : record(books, dispute, "charge.dispute.closed");
}

const NO_EVIDENCE: Stripe.Dispute.Evidence = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
};
