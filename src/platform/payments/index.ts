import type { Stripe } from "stripe";
import type { z } from "zod";
import { readAtMost } from "#src/lib/read-at-most.ts";
import { timeLimit } from "#src/lib/time-limit.ts";
import { paymentFailure } from "./failure.ts";
import {
  AccountObject,
  ChargeObject,
  DisputeList,
  DisputeObject,
  IntentObject,
  InvoiceList,
  InvoiceObject,
  SessionObject,
  SubscriptionObject,
  TransferObject,
  WithId,
  WithUrl,
} from "./objects.ts";
import type { NewCheckout, Payments, SoldItem } from "./payments.ts";
import { verifyWebhook } from "./webhook.ts";

/** How many invoices are looked through for one that was paid with money. */
const INVOICES = 20;

export interface PaymentsConfig {
  secretKey: string;
  /** Several while one is replaced. */
  webhookSecrets: readonly string[];
  /** An origin. */
  apiBaseUrl: string;
  timeoutMs: number;
  clock?: () => number;
  fetch?: typeof fetch;
}

/** Stripe, or a server that speaks its calls. The SDK is loaded on first use. */
export function createPayments(config: PaymentsConfig): Payments {
  const isLive = /^[a-z]+_live_/u.test(config.secretKey);
  const clock = config.clock ?? Date.now;

  /** Makes a call, reads its answer, and has its failure in our words, unless `onRefusal` makes an outcome of it. */
  async function call<T>(
    schema: z.ZodType<T>,
    make: (stripe: Stripe) => Promise<unknown>,
    onRefusal: (error: Refusal) => { outcome: T } | undefined = () => undefined,
  ): Promise<T> {
    const { Stripe } = await import("stripe");
    try {
      using limit = timeLimit(config.timeoutMs);
      return schema.parse(await make(clientOf(Stripe, config, limit.signal)));
    } catch (error) {
      const known = error instanceof Stripe.errors.StripeError ? error : undefined;
      const refusal = known && onRefusal(known);
      if (refusal) return refusal.outcome;
      throw paymentFailure(error, known);
    }
  }

  /** As `call`, but objects that do not exist are `undefined`. */
  async function find<T>(
    schema: z.ZodType<T>,
    make: (stripe: Stripe) => Promise<unknown>,
  ): Promise<T | undefined> {
    return call<T | undefined>(schema, make, ({ statusCode, code }) =>
      statusCode === 404 && code === "resource_missing" ? { outcome: undefined } : undefined,
    );
  }

  return {
    async createCustomer(customer, key) {
      const { id } = await call(WithId, (stripe) =>
        stripe.customers.create({ ...customer, metadata: { ...customer.metadata } }, { idempotencyKey: key }),
      );
      return id;
    },
    createCheckoutSession: (checkout, key) =>
      call(SessionObject, (stripe) =>
        stripe.checkout.sessions.create(checkoutParameters(checkout), { idempotencyKey: key }),
      ),
    getCheckoutSession: (id) =>
      find(SessionObject, (stripe) => stripe.checkout.sessions.retrieve(id, { expand: ["line_items"] })),
    getSubscription: (id) =>
      find(SubscriptionObject, (stripe) => stripe.subscriptions.retrieve(id, { expand: ["latest_invoice"] })),
    changeSubscription: (id, { price, cancelAtPeriodEnd }, key) =>
      call<z.infer<typeof SubscriptionObject> | "declined">(
        SubscriptionObject,
        (stripe) =>
          stripe.subscriptions.update(
            id,
            {
              ...(price && {
                items: [{ id: price.itemId, price: price.priceId }],
                proration_behavior: "always_invoice",
                payment_behavior: "error_if_incomplete",
              }),
              ...(cancelAtPeriodEnd === true && { cancel_at_period_end: true }),
              // An end that the portal set is a date, which only this takes away.
              ...(cancelAtPeriodEnd === false && { cancel_at: "" }),
            },
            { idempotencyKey: key },
          ),
        ({ type }) => (type === "StripeCardError" ? { outcome: "declined" } : undefined),
      ),
    cancelSubscription: (id) => find(SubscriptionObject, (stripe) => stripe.subscriptions.cancel(id)),
    getInvoice: (id) =>
      find(InvoiceObject, (stripe) => stripe.invoices.retrieve(id, { expand: ["payments"] })),
    async getPaidInvoiceOf(subscription) {
      const { data } = await call(InvoiceList, (stripe) =>
        stripe.invoices.list({ subscription, status: "paid", limit: INVOICES }),
      );
      return data.find(({ amountPaidCents }) => amountPaidCents > 0);
    },
    getPaymentIntent: (id) => find(IntentObject, (stripe) => stripe.paymentIntents.retrieve(id)),
    getCharge: (id) => find(ChargeObject, (stripe) => stripe.charges.retrieve(id)),
    getDispute: (id) => find(DisputeObject, (stripe) => stripe.disputes.retrieve(id)),
    async getDisputeOf(charge) {
      const { data } = await call(DisputeList, (stripe) => stripe.disputes.list({ charge, limit: 1 }));
      return data[0];
    },
    getAccount: (id) => find(AccountObject, (stripe) => stripe.accounts.retrieve(id)),
    createAccount: ({ email, metadata }, key) =>
      call(AccountObject, (stripe) =>
        stripe.accounts.create(
          {
            type: "express",
            ...(email !== undefined && { email }),
            capabilities: { transfers: { requested: true } },
            metadata: { ...metadata },
          },
          { idempotencyKey: key },
        ),
      ),
    async createAccountLink({ accountId, refreshUrl, returnUrl }, key) {
      const parameters = {
        account: accountId,
        refresh_url: refreshUrl,
        return_url: returnUrl,
        type: "account_onboarding",
      } as const;
      const { url } = await call(WithUrl, (stripe) =>
        stripe.accountLinks.create(parameters, { idempotencyKey: key }),
      );
      return url;
    },
    async createPortalSession({ customerId, returnUrl }, key) {
      const { url } = await call(WithUrl, (stripe) =>
        stripe.billingPortal.sessions.create(
          { customer: customerId, return_url: returnUrl },
          { idempotencyKey: key },
        ),
      );
      return url;
    },
    createTransfer: ({ amountCents, currency, accountId, chargeId, metadata }, key) =>
      call<z.infer<typeof TransferObject> | "not_receiving">(
        TransferObject,
        (stripe) =>
          stripe.transfers.create(
            {
              amount: amountCents,
              currency,
              destination: accountId,
              source_transaction: chargeId,
              metadata: { ...metadata },
            },
            { idempotencyKey: key },
          ),
        ({ code }) =>
          code === "insufficient_capabilities_for_transfer" ? { outcome: "not_receiving" } : undefined,
      ),
    async reverseTransfer({ transferId, amountCents, metadata }, key) {
      const { id } = await call(WithId, (stripe) =>
        stripe.transfers.createReversal(
          transferId,
          {
            ...(amountCents !== undefined && { amount: amountCents }),
            ...(metadata && { metadata: { ...metadata } }),
          },
          { idempotencyKey: key },
        ),
      );
      return id;
    },
    verifyWebhook: (delivery) =>
      verifyWebhook(delivery, { secrets: config.webhookSecrets, isLive, now: clock() }),
  };
}

/** What of an error of the SDK says whether it is an outcome. */
type Refusal = Pick<Stripe.errors.StripeError, "type" | "code" | "statusCode">;

/**
 * A client for one call: the deadline bounds the call with its retry, and not each attempt. Redirects are not followed, so
 * that the key goes nowhere else.
 */
function clientOf(
  constructor: typeof Stripe,
  { secretKey, apiBaseUrl, timeoutMs, fetch: send = fetch }: PaymentsConfig,
  deadline: AbortSignal,
): Stripe {
  const { protocol, hostname, port } = new URL(apiBaseUrl);
  const isPlain = protocol === "http:";
  return new constructor(secretKey, {
    host: hostname,
    port: port || (isPlain ? "80" : "443"),
    protocol: isPlain ? "http" : "https",
    telemetry: false,
    maxNetworkRetries: 1,
    timeout: timeoutMs,
    httpClient: constructor.createFetchHttpClient(async (url: RequestInfo | URL, init: RequestInit = {}) =>
      onlyObjects(
        await send(url, {
          ...init,
          redirect: "manual",
          signal: init.signal ? AbortSignal.any([init.signal, deadline]) : deadline,
        }),
      ),
    ),
  });
}

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** The SDK never settles a call whose answer is JSON but no object, such as a text: those become answers that are none. */
async function onlyObjects(response: Response): Promise<Response> {
  const bytes = await readAtMost(response.body, MAX_ANSWER_BYTES);
  const text = bytes ? new TextDecoder().decode(bytes) : "";
  const { status, headers } = response;
  return new Response(text.trimStart().startsWith("{") ? text : "", { status, headers });
}

function checkoutParameters(checkout: NewCheckout): Stripe.Checkout.SessionCreateParams {
  const metadata = { ...checkout.metadata };
  return {
    mode: checkout.mode,
    customer: checkout.customerId,
    client_reference_id: checkout.reference,
    line_items: [{ ...lineOf(checkout.item), quantity: 1 }],
    metadata,
    ...(checkout.mode === "payment"
      ? { payment_intent_data: { metadata } }
      : { subscription_data: { metadata } }),
    success_url: checkout.successUrl,
    cancel_url: checkout.cancelUrl,
    ...(checkout.expiresAt && { expires_at: Math.floor(checkout.expiresAt.getTime() / 1000) }),
  };
}

function lineOf(item: SoldItem): Stripe.Checkout.SessionCreateParams.LineItem {
  if ("priceId" in item) return { price: item.priceId };
  return {
    price_data: {
      currency: item.currency,
      unit_amount: item.amountCents,
      product_data: { name: item.name, ...(item.metadata && { metadata: { ...item.metadata } }) },
      ...(item.interval && { recurring: { interval: item.interval } }),
    },
  };
}
