import type http from "node:http";
import type Stripe from "stripe";
import { button, html, type Markup, redirect } from "#stand-ins/shared/markup.ts";
import type { Books } from "../books.ts";
import { DECLINED } from "../objects/payment-intents.ts";
import { failSession, paySession } from "../objects/checkout.ts";
import { planOfSession } from "../objects/sessions.ts";
import { productName } from "../objects/subscriptions.ts";
import { money, sendPage } from "./page.ts";

/** Shows a checkout session to its payer; returns false for other addresses. */
export function serveCheckout(
  books: Books,
  { method = "GET" }: http.IncomingMessage,
  response: http.ServerResponse,
  url: URL,
): boolean {
  const [, id, verb] = /^\/checkout\/(\w+)(?:\/(pay|later|decline))?$/u.exec(url.pathname) ?? [];
  const session = id === undefined ? undefined : books.store.find("checkout.session", id);
  if (!session) return false;
  if (method === "GET" && verb === undefined) {
    sendPage(response, { title: "Checkout", body: checkoutPage(books, session) });
    return true;
  }
  if (method !== "POST" || verb === undefined) return false;
  if (session.status !== "open") redirect(response, `/checkout/${session.id}`);
  else if (verb === "decline") {
    books.store.transaction(() => failSession(books, session.id));
    sendPage(response, {
      title: "Checkout",
      body: checkoutPage(books, books.store.get("checkout.session", session.id), DECLINED),
    });
  } else {
    books.store.transaction(() => paySession(books, session.id, { later: verb === "later" }));
    redirect(response, successUrl(session));
  }
  return true;
}

/** Stripe puts the session's id into the address to which the payer returns. */
function successUrl({ success_url: address, id }: Stripe.Checkout.Session): string {
  return (address ?? "/").replaceAll("{CHECKOUT_SESSION_ID}", id);
}

function checkoutPage(books: Books, session: Stripe.Checkout.Session, problem = ""): Markup {
  const items = planOfSession(books, session.id).lines.map(({ price: priceId, quantity }) => {
    const price = books.store.get("price", priceId);
    const every = price.recurring ? ` per ${price.recurring.interval}` : "";
    return html`<tr>
      <td>${quantity} × ${productName(books, price)}</td>
      <td>${money((price.unit_amount ?? 0) * quantity, price.currency)}${every}</td>
    </tr>`;
  });
  return html`<section>
    <h2>
      ${session.mode === "subscription" ? "Subscribe" : "Pay"}
      ${money(session.amount_total, session.currency)}
    </h2>
    <table>
      ${items}
    </table>
    <p class="bad" role="alert">${problem}</p>
    ${session.status === "open" ? choices(session) : html`<p>This session is ${session.status}; the payment is ${session.payment_status}.</p>`}
  </section>`;
}

function choices({ id, cancel_url: back }: Stripe.Checkout.Session): Markup {
  return html`${button(`/checkout/${id}/pay`, "Pay")}
  ${button(`/checkout/${id}/later`, "Pay later, by bank debit")}
  ${button(`/checkout/${id}/decline`, "Pay with a card that is declined")}
  ${back === null ? "" : html`<a class="button" href="${back}">Back</a>`}`;
}
