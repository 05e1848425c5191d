import type Stripe from "stripe";
import { z } from "zod";
import { type Books, record, seconds } from "../books.ts";
import type { Form } from "../form.ts";
import { changedMetadata, metadata, readParameters } from "../parameters.ts";
import { newId } from "../store.ts";

const CreateCustomer = z.strictObject({
  email: z.string().max(512).optional(),
  name: z.string().max(256).optional(),
  description: z.string().optional(),
  phone: z.string().optional(),
  metadata: metadata.optional(),
});

/** https://docs.stripe.com/api/customers/create */
export function createCustomer(books: Books, form: Form): Stripe.Customer {
  const wish = readParameters(CreateCustomer, form);
  return addCustomer(books, {
    email: wish.email ?? null,
    name: wish.name ?? null,
    description: wish.description ?? null,
    phone: wish.phone ?? null,
    metadata: changedMetadata({}, wish.metadata),
  });
}

/** Adds a customer, as a checkout without one does. */
export function addCustomer(
  books: Books,
  data: Pick<Stripe.Customer, "email" | "metadata"> &
    Partial<Pick<Stripe.Customer, "name" | "description" | "phone">>,
): Stripe.Customer {
  const id = newId("cus_");
  const customer: Stripe.Customer & { object: "customer" } = {
    id,
    object: "customer",
    address: null,
    balance: 0,
    created: seconds(books),
    currency: null,
    default_source: null,
    delinquent: false,
    description: data.description ?? null,
    discount: null,
    email: data.email,
    invoice_prefix: id.slice(-8).toUpperCase(),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: data.metadata,
    name: data.name ?? null,
    next_invoice_sequence: 1,
    phone: data.phone ?? null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: "none",
    test_clock: null,
  };
  return record(books, customer, "customer.created");
}

const CARD = "card";

/** Whether the customer's card is one that fails from now on. */
export function hasFailingCard({ store }: Books, customerId: string): boolean {
  return store.note(customerId, CARD, z.enum(["works", "fails"])) === "fails";
}

/** Replaces the customer's card. */
export function setCard({ store }: Books, customerId: string, card: "works" | "fails"): void {
  store.setNote(customerId, CARD, card);
}
