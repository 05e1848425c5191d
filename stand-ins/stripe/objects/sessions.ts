import type Stripe from "stripe";
import { z } from "zod";
import { type Books, record, seconds } from "../books.ts";
import { invalidParameter } from "../api-error.ts";
import type { Form } from "../form.ts";
import { includedNote } from "../render.ts";
import {
  amount,
  bool,
  changedMetadata,
  currency,
  int,
  metadata,
  readParameters,
  webAddress,
} from "../parameters.ts";
import { listOf, newId } from "../store.ts";
import { createInlinePrice } from "./prices.ts";
import { productName } from "./subscriptions.ts";

const DAY = 86_400;

const PriceData = z.strictObject({
  currency,
  unit_amount: amount,
  product_data: z.strictObject({
    name: z.string().min(1),
    description: z.string().optional(),
    metadata: metadata.optional(),
  }),
  recurring: z
    .strictObject({
      interval: z.enum(["day", "week", "month", "year"]),
      interval_count: int.refine((value) => value > 0).optional(),
    })
    .optional(),
});

const CreateSession = z.strictObject({
  mode: z.enum(["payment", "subscription"]),
  line_items: z
    .array(
      z.strictObject({
        price: z.string().optional(),
        price_data: PriceData.optional(),
        quantity: int.refine((value) => value > 0, "Must be at least 1").optional(),
      }),
    )
    .min(1)
    .max(100),
  customer: z.string().optional(),
  customer_email: z.string().optional(),
  customer_creation: z.enum(["always", "if_required"]).optional(),
  client_reference_id: z.string().max(200).optional(),
  metadata: metadata.optional(),
  success_url: webAddress,
  cancel_url: webAddress.optional(),
  expires_at: int.optional(),
  payment_method_types: z.array(z.string()).optional(),
  allow_promotion_codes: bool.optional(),
  locale: z.string().optional(),
  submit_type: z.enum(["auto", "book", "donate", "pay", "subscribe"]).optional(),
  payment_intent_data: z
    .strictObject({
      metadata: metadata.optional(),
      description: z.string().optional(),
      transfer_group: z.string().optional(),
    })
    .optional(),
  subscription_data: z
    .strictObject({ metadata: metadata.optional(), description: z.string().optional() })
    .optional(),
});

/** What a session becomes when it is paid; the session itself does not show it. */
const SessionPlan = z.object({
  lines: z.array(z.object({ price: z.string(), quantity: z.number() })),
  metadata: z.record(z.string(), z.string()),
  description: z.string().optional(),
  transferGroup: z.string().optional(),
});
export type SessionPlan = z.infer<typeof SessionPlan>;

const PLAN = "plan";

/** Returns what was ordered with a session. */
export function planOfSession({ store }: Books, sessionId: string): SessionPlan {
  const plan = store.note(sessionId, PLAN, SessionPlan);
  if (!plan) throw new Error(`The session ${sessionId} has no plan`);
  return plan;
}

/** https://docs.stripe.com/api/checkout/sessions/create */
export function createSession(books: Books, form: Form): Stripe.Checkout.Session {
  const wish = readParameters(CreateSession, form);
  checkTogether(wish);
  if (wish.customer !== undefined) books.store.get("customer", wish.customer, "customer");
  const lines = wish.line_items.map((line, at) => readLine(books, line, at, wish.mode));
  const [first] = lines;
  if (wish.mode === "subscription" && !lines.some(({ price }) => price.recurring)) {
    throw invalidParameter(
      "You must provide at least one recurring price in `subscription` mode when using prices.",
      "line_items",
    );
  }
  if (lines.some(({ price }) => price.currency !== first?.price.currency)) {
    throw invalidParameter("All line items must have the same currency.", "line_items");
  }
  const now = seconds(books);
  const expiresAt = wish.expires_at ?? now + DAY;
  if (expiresAt < now + 30 * 60 || expiresAt > now + DAY) {
    throw invalidParameter(
      "The `expires_at` timestamp must be between 30 minutes and 24 hours from Checkout Session creation.",
      "expires_at",
    );
  }
  const id = newId("cs_test_");
  const total = lines.reduce((sum, { price, quantity }) => sum + (price.unit_amount ?? 0) * quantity, 0);
  const data = wish.mode === "payment" ? wish.payment_intent_data : wish.subscription_data;
  books.store.setNote(id, PLAN, {
    lines: lines.map(({ price, quantity }) => ({ price: price.id, quantity })),
    metadata: changedMetadata({}, data?.metadata ?? {}),
    description: data?.description,
    transferGroup: wish.payment_intent_data?.transfer_group,
  } satisfies SessionPlan);
  const items = lines.map(({ price, quantity }) => toLineItem(books, price, quantity));
  books.store.setNote(
    id,
    includedNote("line_items"),
    listOf(items, `/v1/checkout/sessions/${id}/line_items`),
  );
  return record(books, {
    ...newSession(books, id, total, first?.price.currency ?? "usd"),
    allow_promotion_codes: wish.allow_promotion_codes ?? null,
    cancel_url: wish.cancel_url ?? null,
    client_reference_id: wish.client_reference_id ?? null,
    customer: wish.customer ?? null,
    customer_creation:
      wish.customer === undefined ? (wish.customer_creation ?? defaultCreation(wish.mode)) : null,
    customer_email: wish.customer_email ?? null,
    expires_at: expiresAt,
    metadata: changedMetadata({}, wish.metadata ?? {}),
    mode: wish.mode,
    payment_method_collection: wish.mode === "subscription" ? "always" : "if_required",
    payment_method_types: wish.payment_method_types ?? ["card"],
    submit_type: wish.submit_type ?? null,
    success_url: wish.success_url,
  });
}

function defaultCreation(mode: "payment" | "subscription"): "always" | "if_required" {
  return mode === "subscription" ? "always" : "if_required";
}

function checkTogether(wish: z.infer<typeof CreateSession>): void {
  const { customer, customer_email: email, mode } = wish;
  if (customer !== undefined && email !== undefined) {
    throw invalidParameter(
      "You may only specify one of these parameters: customer, customer_email.",
      "customer",
    );
  }
  if (mode === "payment" && wish.subscription_data) {
    throw invalidParameter("You can not pass `subscription_data` in `payment` mode.", "subscription_data");
  }
  if (mode === "subscription" && wish.payment_intent_data) {
    throw invalidParameter(
      "You can not pass `payment_intent_data` in `subscription` mode.",
      "payment_intent_data",
    );
  }
}

function readLine(
  books: Books,
  line: z.infer<typeof CreateSession>["line_items"][number],
  at: number,
  mode: "payment" | "subscription",
): { price: Stripe.Price; quantity: number } {
  const param = `line_items[${at}]`;
  if ((line.price === undefined) === (line.price_data === undefined)) {
    throw invalidParameter(`Provide exactly one of ${param}[price] and ${param}[price_data].`, param);
  }
  const price = line.price_data
    ? createInlinePrice(books, {
        currency: line.price_data.currency,
        amountCents: line.price_data.unit_amount,
        product: {
          ...line.price_data.product_data,
          metadata: changedMetadata({}, line.price_data.product_data.metadata ?? {}),
        },
        recurring: line.price_data.recurring && {
          interval: line.price_data.recurring.interval,
          intervalCount: line.price_data.recurring.interval_count ?? 1,
        },
      })
    : books.store.get("price", line.price ?? "", `${param}[price]`);
  if (mode === "payment" && price.recurring) {
    throw invalidParameter(
      "You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.",
      `${param}[price]`,
    );
  }
  if (line.quantity === undefined) {
    throw invalidParameter(
      `Missing required param: ${param}[quantity].`,
      `${param}[quantity]`,
      "parameter_missing",
    );
  }
  return { price, quantity: line.quantity };
}

function toLineItem(books: Books, price: Stripe.Price, quantity: number): Stripe.LineItem {
  const total = (price.unit_amount ?? 0) * quantity;
  return {
    id: newId("li_"),
    object: "item",
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: total,
    amount_tax: 0,
    amount_total: total,
    currency: price.currency,
    description: productName(books, price),
    metadata: {},
    price,
    quantity,
  };
}

function newSession(
  books: Books,
  id: string,
  total: number,
  money: string,
): Stripe.Checkout.Session & { object: "checkout.session" } {
  return {
    id,
    object: "checkout.session",
    adaptive_pricing: null,
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: null,
    amount_subtotal: total,
    amount_total: total,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    cancel_url: null,
    client_reference_id: null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: seconds(books),
    currency: money,
    currency_conversion: null,
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: null,
    },
    customer: null,
    customer_account: null,
    customer_creation: null,
    customer_details: null,
    customer_email: null,
    discounts: [],
    expires_at: 0,
    integration_identifier: null,
    invoice: null,
    invoice_creation: null,
    livemode: false,
    locale: null,
    managed_payments: null,
    metadata: {},
    mode: "payment",
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ["card"],
    payment_status: "unpaid",
    permissions: null,
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: "open",
    submit_type: null,
    subscription: null,
    success_url: null,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: "hosted_page",
    url: `${books.url()}/checkout/${id}`,
    wallet_options: null,
  };
}
