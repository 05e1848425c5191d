import type Stripe from "stripe";
import { z } from "zod";
import { type Books, record, seconds } from "../books.ts";
import type { Form } from "../form.ts";
import { readParameters, webAddress } from "../parameters.ts";
import { newId } from "../store.ts";

const CreatePortalSession = z.strictObject({
  customer: z.string(),
  return_url: webAddress.optional(),
  configuration: z.string().optional(),
  locale: z.string().optional(),
});

/** https://docs.stripe.com/api/customer_portal/sessions/create */
export function createPortalSession(books: Books, form: Form): Stripe.BillingPortal.Session {
  const wish = readParameters(CreatePortalSession, form);
  const customer = books.store.get("customer", wish.customer, "customer");
  const id = newId("bps_");
  const session: Stripe.BillingPortal.Session & { object: "billing_portal.session" } = {
    id,
    object: "billing_portal.session",
    configuration: wish.configuration ?? "bpc_standin",
    created: seconds(books),
    customer: customer.id,
    customer_account: null,
    flow: null,
    livemode: false,
    locale: null,
    on_behalf_of: null,
    return_url: wish.return_url ?? null,
    url: `${books.url()}/portal/${id}`,
  };
  return record(books, session, "billing_portal.session.created");
}
