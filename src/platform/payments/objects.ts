import { z } from "zod";
import type {
  Account,
  Charge,
  CheckoutSession,
  Dispute,
  Invoice,
  PaymentIntent,
  Subscription,
  Transfer,
} from "./payments.ts";

// Only what is read here: other versions of the API, and other servers at its address, may say more or less.

const text = z.string().nullish();
const reference = z.union([z.string(), z.object({ id: z.string() })]).nullish();
const metadata = z
  .record(z.string(), z.string())
  .nullish()
  .transform((value) => value ?? {});
const time = z.number();

function idOf(value: z.infer<typeof reference>): string | undefined {
  return typeof value === "string" ? value : value?.id;
}

function dateOf(seconds: number | null | undefined): Date | undefined {
  return seconds === null || seconds === undefined ? undefined : new Date(seconds * 1000);
}

export const WithId = z.object({ id: z.string() });
export const WithUrl = z.object({ url: z.string() });

export const SessionObject = z
  .object({
    id: z.string(),
    url: text,
    mode: z.string(),
    status: text,
    payment_status: z.string(),
    customer: reference,
    amount_total: z.number().nullish(),
    currency: text,
    client_reference_id: text,
    metadata,
    line_items: z.object({ data: z.array(z.object({ price: reference })) }).optional(),
    payment_intent: reference,
    subscription: reference,
    invoice: reference,
  })
  .transform((session): CheckoutSession => ({
    id: session.id,
    url: session.url ?? undefined,
    mode: session.mode,
    status: session.status ?? undefined,
    paymentStatus: session.payment_status,
    customerId: idOf(session.customer),
    amountCents: session.amount_total ?? undefined,
    currency: session.currency ?? undefined,
    reference: session.client_reference_id ?? undefined,
    metadata: session.metadata,
    priceIds: (session.line_items?.data ?? []).flatMap(({ price }) => idOf(price) ?? []),
    paymentIntentId: idOf(session.payment_intent),
    subscriptionId: idOf(session.subscription),
    invoiceId: idOf(session.invoice),
  }));

const SubscriptionItem = z.object({
  id: z.string(),
  price: z.object({
    id: z.string(),
    unit_amount: z.number().nullish(),
    recurring: z.object({ interval: z.string() }).nullish(),
  }),
  current_period_start: time,
  current_period_end: time,
});

export const SubscriptionObject = z
  .object({
    id: z.string(),
    status: z.string(),
    customer: z.union([z.string(), z.object({ id: z.string() })]),
    currency: z.string(),
    metadata,
    // Ours have one item.
    items: z.object({ data: z.tuple([SubscriptionItem], SubscriptionItem) }),
    cancel_at: time.nullish(),
    cancel_at_period_end: z.boolean().default(false),
    ended_at: time.nullish(),
    latest_invoice: z
      .union([z.string(), z.object({ id: z.string(), status: text, amount_paid: z.number().default(0) })])
      .nullish(),
  })
  .transform((subscription): Subscription => {
    const [item] = subscription.items.data;
    const periodEnd = new Date(item.current_period_end * 1000);
    const latest = subscription.latest_invoice;
    return {
      id: subscription.id,
      status: subscription.status,
      customerId: idOf(subscription.customer) ?? "",
      currency: subscription.currency,
      metadata: subscription.metadata,
      item: {
        id: item.id,
        priceId: item.price.id,
        amountCents: item.price.unit_amount ?? undefined,
        interval: item.price.recurring?.interval,
      },
      periodStart: new Date(item.current_period_start * 1000),
      periodEnd,
      cancelAt: dateOf(subscription.cancel_at) ?? (subscription.cancel_at_period_end ? periodEnd : undefined),
      endedAt: dateOf(subscription.ended_at),
      latestInvoiceId: idOf(latest),
      isLatestInvoicePaid: latest instanceof Object && latest.status === "paid" && latest.amount_paid > 0,
    };
  });

export const InvoiceObject = z
  .object({
    id: z.string(),
    status: text,
    customer: reference,
    parent: z
      .object({ subscription_details: z.object({ subscription: reference, metadata }).nullish() })
      .nullish(),
    billing_reason: text,
    amount_paid: z.number(),
    currency: z.string(),
    payments: z
      .object({ data: z.array(z.object({ status: text, payment: z.object({ payment_intent: reference }) })) })
      .optional(),
    status_transitions: z.object({ paid_at: time.nullish() }).nullish(),
  })
  .transform((invoice): Invoice => {
    const details = invoice.parent?.subscription_details;
    const payments = invoice.payments?.data ?? [];
    const payment = payments.find(({ status }) => status === "paid") ?? payments[0];
    return {
      id: invoice.id,
      status: invoice.status ?? undefined,
      customerId: idOf(invoice.customer),
      subscriptionId: idOf(details?.subscription),
      metadata: details?.metadata ?? {},
      billingReason: invoice.billing_reason ?? undefined,
      amountPaidCents: invoice.amount_paid,
      currency: invoice.currency,
      paymentIntentId: idOf(payment?.payment.payment_intent),
      paidAt: dateOf(invoice.status_transitions?.paid_at),
    };
  });

export const InvoiceList = z.object({ data: z.array(InvoiceObject) });

export const IntentObject = z
  .object({
    id: z.string(),
    status: z.string(),
    amount: z.number(),
    amount_received: z.number(),
    currency: z.string(),
    customer: reference,
    metadata,
    latest_charge: reference,
  })
  .transform((intent): PaymentIntent => ({
    id: intent.id,
    status: intent.status,
    amountCents: intent.amount,
    amountReceivedCents: intent.amount_received,
    currency: intent.currency,
    customerId: idOf(intent.customer),
    metadata: intent.metadata,
    chargeId: idOf(intent.latest_charge),
  }));

export const ChargeObject = z
  .object({
    id: z.string(),
    status: z.string(),
    amount: z.number(),
    amount_refunded: z.number(),
    currency: z.string(),
    disputed: z.boolean(),
    payment_intent: reference,
  })
  .transform((charge): Charge => ({
    id: charge.id,
    status: charge.status,
    amountCents: charge.amount,
    refundedCents: charge.amount_refunded,
    currency: charge.currency,
    isDisputed: charge.disputed,
    paymentIntentId: idOf(charge.payment_intent),
  }));

export const DisputeObject = z
  .object({
    id: z.string(),
    status: z.string(),
    amount: z.number(),
    charge: z.union([z.string(), z.object({ id: z.string() })]),
    payment_intent: reference,
  })
  .transform((dispute): Dispute => ({
    id: dispute.id,
    status: dispute.status,
    amountCents: dispute.amount,
    chargeId: idOf(dispute.charge) ?? "",
    paymentIntentId: idOf(dispute.payment_intent),
  }));

export const DisputeList = z.object({ data: z.array(DisputeObject) });

export const AccountObject = z
  .object({
    id: z.string(),
    capabilities: z.object({ transfers: z.string().optional() }).optional(),
    details_submitted: z.boolean(),
  })
  .transform((account): Account => ({
    id: account.id,
    canReceive: account.capabilities?.transfers === "active",
    detailsSubmitted: account.details_submitted,
  }));

export const TransferObject = z
  .object({ id: z.string(), amount: z.number(), amount_reversed: z.number() })
  .transform((transfer): Transfer => ({
    id: transfer.id,
    amountCents: transfer.amount,
    reversedCents: transfer.amount_reversed,
  }));
