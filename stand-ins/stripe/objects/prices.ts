import type Stripe from "stripe";
import type { Books } from "../books.ts";
import { seconds } from "../books.ts";
import { newId } from "../store.ts";

/** A price of the account's own catalogue, which exists from the start. */
export interface CataloguePrice {
  id: string;
  name: string;
  amountCents: number;
  interval: "month" | "year";
}

/** Creates the catalogue, or changes it to the amounts of the configuration: a real account would have other prices then. */
export function putCatalogue(books: Books, catalogue: readonly CataloguePrice[]): void {
  for (const { id, name, amountCents, interval } of catalogue) {
    const known = books.store.find("price", id);
    if (known?.unit_amount === amountCents) continue;
    const productId = `prod_standin_${id}`;
    books.store.put(newProduct(books, productId, { name }));
    books.store.put(
      newPrice(books, id, {
        product: productId,
        currency: "usd",
        amountCents,
        recurring: { interval, intervalCount: 1 },
        nickname: name,
      }),
    );
  }
}

/** A price that a checkout session brings with it. */
export function createInlinePrice(
  books: Books,
  data: {
    currency: string;
    amountCents: number;
    product: {
      name: string;
      description?: string | undefined;
      metadata?: Record<string, string> | undefined;
    };
    recurring?: { interval: "day" | "week" | "month" | "year"; intervalCount: number } | undefined;
  },
): Stripe.Price {
  const product = books.store.put(newProduct(books, newId("prod_"), data.product));
  return books.store.put(newPrice(books, newId("price_"), { ...data, product: product.id, nickname: null }));
}

function newProduct(
  books: Books,
  id: string,
  data: { name: string; description?: string | undefined; metadata?: Record<string, string> | undefined },
): Stripe.Product {
  const now = seconds(books);
  return {
    id,
    object: "product",
    active: true,
    created: now,
    default_price: null,
    description: data.description ?? null,
    images: [],
    livemode: false,
    marketing_features: [],
    metadata: data.metadata ?? {},
    name: data.name,
    package_dimensions: null,
    shippable: null,
    tax_code: null,
    tax_details: null,
    type: "service",
    updated: now,
    url: null,
  };
}

function newPrice(
  books: Books,
  id: string,
  data: {
    product: string;
    currency: string;
    amountCents: number;
    nickname: string | null;
    recurring?: { interval: "day" | "week" | "month" | "year"; intervalCount: number } | undefined;
  },
): Stripe.Price {
  return {
    id,
    object: "price",
    active: true,
    billing_scheme: "per_unit",
    created: seconds(books),
    currency: data.currency,
    custom_unit_amount: null,
    livemode: false,
    lookup_key: null,
    metadata: {},
    nickname: data.nickname,
    product: data.product,
    recurring: data.recurring
      ? {
          interval: data.recurring.interval,
          interval_count: data.recurring.intervalCount,
          meter: null,
          trial_period_days: null,
          usage_type: "licensed",
        }
      : null,
    tax_behavior: "unspecified",
    tiers_mode: null,
    transform_quantity: null,
    type: data.recurring ? "recurring" : "one_time",
    unit_amount: data.amountCents,
    // The SDK's class for decimals; nothing of the service reads it.
    unit_amount_decimal: null,
  };
}

/** The plan that a subscription item still shows beside its price. */
export function planOf(price: Stripe.Price): Stripe.Plan {
  return {
    id: price.id,
    object: "plan",
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: null,
    billing_scheme: "per_unit",
    created: price.created,
    currency: price.currency,
    interval: price.recurring?.interval ?? "month",
    interval_count: price.recurring?.interval_count ?? 1,
    livemode: false,
    metadata: price.metadata,
    meter: null,
    nickname: price.nickname,
    product: price.product,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: "licensed",
  };
}
