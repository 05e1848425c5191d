import type Stripe from "stripe";
import { z } from "zod";
import { type Books, record, seconds } from "../books.ts";
import type { Form } from "../form.ts";
import { readParameters } from "../parameters.ts";
import { includedNote } from "../render.ts";
import { idOf, listOf, newId } from "../store.ts";
import {
  cancelIntent,
  createIntent,
  declineIntent,
  processIntent,
  succeedIntent,
} from "./payment-intents.ts";

/** One position of an invoice; a negative amount gives unused time back. */
export const InvoicePosition = z.object({
  amount: z.number(),
  description: z.string(),
  price: z.string(),
  product: z.string(),
  quantity: z.number(),
  period: z.object({ start: z.number(), end: z.number() }),
  isProration: z.boolean(),
});
export type InvoicePosition = z.infer<typeof InvoicePosition>;

/** The outcome of an attempt to collect an invoice. */
export type Collection = "paid" | "declined" | "processing";

type Invoice = Stripe.Invoice & { object: "invoice" };

const PAYMENTS = includedNote("payments");
const Payments = z.custom<Stripe.ApiList<Stripe.InvoicePayment>>();

const ListInvoices = z.strictObject({
  subscription: z.string(),
  status: z.enum(["draft", "open", "paid", "uncollectible", "void"]).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(10),
});

/** https://docs.stripe.com/api/invoices/list */
export function listInvoices({ store }: Books, form: Form): Stripe.ApiList<Stripe.Invoice> {
  const { subscription: id, status, limit } = readParameters(ListInvoices, form);
  const subscription = store.get("subscription", id, "subscription");
  const found = store.listBy("invoice", "customer", idOf(subscription.customer)).filter((invoice) => {
    const of = invoice.parent?.subscription_details?.subscription;
    return of !== undefined && idOf(of) === id && (status === undefined || invoice.status === status);
  });
  return listOf(found.slice(0, limit), "/v1/invoices");
}

/** Creates an invoice of a subscription that is ready to be paid. */
export function createInvoice(
  books: Books,
  subscription: Stripe.Subscription,
  reason: "subscription_create" | "subscription_cycle" | "subscription_update",
  positions: readonly InvoicePosition[],
): Stripe.Invoice {
  const now = seconds(books);
  const id = newId("in_");
  const customer = books.store.get("customer", idOf(subscription.customer));
  const total = positions.reduce((sum, { amount }) => sum + amount, 0);
  const due = Math.max(0, total);
  const [item] = subscription.items.data;
  const lines = positions.map((position) => toLine(subscription, id, item?.id ?? "", position));
  const invoice: Invoice = {
    id,
    object: "invoice",
    account_country: "US",
    account_name: "Stand-in",
    account_tax_ids: null,
    amount_due: due,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_remaining: due,
    amount_shipping: 0,
    application: null,
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: null,
    billing_reason: reason,
    collection_method: "charge_automatically",
    created: now,
    currency: subscription.currency,
    custom_fields: null,
    customer: customer.id,
    customer_account: null,
    customer_address: null,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    customer_phone: null,
    customer_shipping: null,
    customer_tax_exempt: "none",
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    due_date: null,
    effective_at: now,
    ending_balance: 0,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: "self" },
    last_finalization_error: null,
    latest_revision: null,
    lines: listOf(lines, `/v1/invoices/${id}/lines`),
    livemode: false,
    metadata: {},
    next_payment_attempt: null,
    number: `${customer.invoice_prefix}-${id.slice(-4)}`,
    on_behalf_of: null,
    parent: {
      quote_details: null,
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
      type: "subscription_details",
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: now,
    period_start: now,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: 0,
    statement_descriptor: null,
    status: "open",
    status_transitions: { finalized_at: now, marked_uncollectible_at: null, paid_at: null, voided_at: null },
    subtotal: total,
    subtotal_excluding_tax: total,
    test_clock: null,
    total,
    total_discount_amounts: [],
    total_excluding_tax: total,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: null,
  };
  return record(books, invoice, "invoice.created", "invoice.finalized");
}

function toLine(
  subscription: Stripe.Subscription,
  invoiceId: string,
  itemId: string,
  position: InvoicePosition,
): Stripe.InvoiceLineItem {
  return {
    id: newId("il_"),
    object: "line_item",
    amount: position.amount,
    currency: subscription.currency,
    description: position.description,
    discount_amounts: [],
    discountable: !position.isProration,
    discounts: [],
    invoice: invoiceId,
    livemode: false,
    metadata: subscription.metadata,
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: position.isProration,
        proration_details: null,
        subscription: subscription.id,
        subscription_item: itemId,
      },
      type: "subscription_item_details",
    },
    period: position.period,
    pretax_credit_amounts: [],
    pricing: {
      price_details: { price: position.price, product: position.product },
      type: "price_details",
      unit_amount_decimal: null,
    },
    quantity: position.quantity,
    quantity_decimal: null,
    subscription: subscription.id,
    subtotal: position.amount,
    taxes: [],
  };
}

/** Attempts to collect an open invoice. One without an amount is paid at once. */
export function collectInvoice(books: Books, invoiceId: string, outcome: Collection): Stripe.Invoice {
  const invoice = books.store.get("invoice", invoiceId);
  if (invoice.amount_due === 0) return markPaid(books, invoice);
  const intentId = intentOf(books, invoice);
  invoice.attempted = true;
  invoice.attempt_count += 1;
  if (outcome === "processing") {
    processIntent(books, intentId);
    return record(books, invoice, "invoice.updated");
  }
  if (outcome === "declined") {
    declineIntent(books, intentId);
    invoice.next_payment_attempt = seconds(books) + 3 * 86_400;
    return record(books, invoice, "invoice.payment_failed");
  }
  succeedIntent(books, intentId);
  setPayment(books, invoice, intentId, "paid");
  return markPaid(books, invoice);
}

/** Ends an open invoice that is not going to be paid. */
export function giveUpInvoice(books: Books, invoiceId: string, status: "void" | "uncollectible"): void {
  const invoice = books.store.get("invoice", invoiceId);
  if (invoice.status !== "open") return;
  const now = seconds(books);
  invoice.status = status;
  invoice.next_payment_attempt = null;
  if (status === "void") invoice.status_transitions.voided_at = now;
  else invoice.status_transitions.marked_uncollectible_at = now;
  const [payment] = books.store.note(invoice.id, PAYMENTS, Payments)?.data ?? [];
  const intent = payment?.payment.payment_intent;
  if (intent !== undefined) cancelIntent(books, idOf(intent));
  record(books, invoice, status === "void" ? "invoice.voided" : "invoice.marked_uncollectible");
}

function markPaid(books: Books, invoice: Invoice): Stripe.Invoice {
  invoice.status = "paid";
  invoice.amount_paid = invoice.amount_due;
  invoice.amount_remaining = 0;
  invoice.next_payment_attempt = null;
  invoice.status_transitions.paid_at = seconds(books);
  return record(books, invoice, "invoice.paid", "invoice.payment_succeeded");
}

/** The payment of an invoice: one, however many attempts it takes. */
function intentOf(books: Books, invoice: Invoice): string {
  const [payment] = books.store.note(invoice.id, PAYMENTS, Payments)?.data ?? [];
  if (payment?.payment.payment_intent !== undefined) return idOf(payment.payment.payment_intent);
  const intent = createIntent(books, {
    amount: invoice.amount_due,
    currency: invoice.currency,
    customer: invoice.customer === null ? null : idOf(invoice.customer),
    description: "Subscription",
  });
  setPayment(books, invoice, intent.id, "open");
  return intent.id;
}

function setPayment(books: Books, invoice: Invoice, intentId: string, status: "open" | "paid"): void {
  const now = seconds(books);
  const payment: Stripe.InvoicePayment = {
    id: `inpay_${invoice.id.slice(3)}`,
    object: "invoice_payment",
    amount_paid: status === "paid" ? invoice.amount_due : null,
    amount_requested: invoice.amount_due,
    created: now,
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { type: "payment_intent", payment_intent: intentId },
    status,
    status_transitions: { canceled_at: null, paid_at: status === "paid" ? now : null },
  };
  books.store.setNote(invoice.id, PAYMENTS, listOf([payment], "/v1/invoice_payments"));
}
