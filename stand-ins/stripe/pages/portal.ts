import type http from "node:http";
import { text } from "node:stream/consumers";
import type Stripe from "stripe";
import { button, html, type Markup, redirect } from "#stand-ins/shared/markup.ts";
import type { Books } from "../books.ts";
import { type Form, decodeForm } from "../form.ts";
import { hasFailingCard, setCard } from "../objects/customers.ts";
import type { CataloguePrice } from "../objects/prices.ts";
import { updateSubscription } from "../objects/subscription-changes.ts";
import { hasEnded, payOpenInvoice, periodEnd, productName } from "../objects/subscriptions.ts";
import { money, sendPage } from "./page.ts";

const LIFETIME_SECONDS = 3_600;

/** Shows a customer what they subscribed to, and has them change it; returns false for other addresses. */
export async function servePortal(
  books: Books,
  catalogue: readonly CataloguePrice[],
  request: http.IncomingMessage,
  response: http.ServerResponse,
  url: URL,
): Promise<boolean> {
  const [, id, verb] = /^\/portal\/(\w+)(?:\/(plan|cancel|resume|card))?$/u.exec(url.pathname) ?? [];
  const session = id === undefined ? undefined : books.store.find("billing_portal.session", id);
  if (!session || session.created + LIFETIME_SECONDS <= books.clock() / 1000) return false;
  if (request.method === "GET" && verb === undefined) {
    sendPage(response, { title: "Your subscriptions", body: portalPage(books, catalogue, session) });
    return true;
  }
  if (request.method !== "POST" || verb === undefined) return false;
  const form = decodeForm(await text(request));
  books.store.transaction(() => change(books, session, verb, form));
  redirect(response, `/portal/${session.id}`);
  return true;
}

function subscriptionsOf({ store }: Books, customer: string): Stripe.Subscription[] {
  return store.listBy("subscription", "customer", customer);
}

function change(books: Books, { customer }: Stripe.BillingPortal.Session, verb: string, form: Form): void {
  if (verb === "card") {
    setCard(books, customer, form["card"] === "fails" ? "fails" : "works");
    for (const { id } of subscriptionsOf(books, customer)) payOpenInvoice(books, id);
    return;
  }
  const subscription = subscriptionsOf(books, customer).find(({ id }) => id === form["subscription"]);
  if (!subscription || hasEnded(subscription)) return;
  // As the portal does with a flexible subscription: a date, and not `cancel_at_period_end`.
  if (verb === "cancel") updateSubscription(books, subscription.id, { cancel_at: "min_period_end" });
  if (verb === "resume") updateSubscription(books, subscription.id, { cancel_at: "" });
  const [item] = subscription.items.data;
  if (verb === "plan" && item && typeof form["price"] === "string") {
    updateSubscription(books, subscription.id, {
      items: [{ id: item.id, price: form["price"] }],
      proration_behavior: "always_invoice",
    });
  }
}

function portalPage(
  books: Books,
  catalogue: readonly CataloguePrice[],
  session: Stripe.BillingPortal.Session,
): Markup {
  const base = `/portal/${session.id}`;
  const fails = hasFailingCard(books, session.customer);
  const sections = subscriptionsOf(books, session.customer).map(
    (subscription) => html`<section>${subscriptionPart(books, catalogue, base, subscription)}</section>`,
  );
  return html`<section>
      <h2>Card</h2>
      <p>${fails ? "The card on file is declined." : "The card on file works."}</p>
      ${fails ? button(`${base}/card`, "Use a card that works", { card: "works" }) : button(`${base}/card`, "Use a card that fails", { card: "fails" })}
    </section>
    ${sections.length > 0 ? sections : html`<section><p>There are no subscriptions.</p></section>`}
    ${session.return_url === null ? "" : html`<p><a class="button" href="${session.return_url}">Back</a></p>`}`;
}

function subscriptionPart(
  books: Books,
  catalogue: readonly CataloguePrice[],
  base: string,
  subscription: Stripe.Subscription,
): Markup {
  const { id, status, cancel_at: cancelAt } = subscription;
  const [item] = subscription.items.data;
  if (!item) return html``;
  const ends = cancelAt === null ? "renews" : "ends";
  const until = new Date((cancelAt ?? periodEnd(subscription)) * 1000).toUTCString();
  const title = html`<h2>
    ${productName(books, item.price)}, ${money(item.price.unit_amount, item.price.currency)} per
    ${item.price.recurring?.interval}
  </h2>`;
  if (hasEnded(subscription))
    return html`${title}
      <p>Status ${status}.</p>`;
  const others = catalogue.some((price) => price.id === item.price.id)
    ? catalogue.filter((price) => price.id !== item.price.id)
    : [];
  const plans = others.map((price) =>
    button(`${base}/plan`, `Change to ${price.name}`, { subscription: id, price: price.id }),
  );
  const cancel =
    cancelAt === null
      ? button(`${base}/cancel`, "Cancel", { subscription: id })
      : button(`${base}/resume`, "Resume", { subscription: id });
  return html`${title}
    <p>Status ${status}, ${ends} ${until}.</p>
    ${plans} ${cancel}`;
}
