import type http from "node:http";
import { button, html, Markup } from "#stand-ins/shared/markup.ts";
import type { ControlParts } from "../controls.ts";
import { isPromised } from "../objects/checkout.ts";
import { hasEnded, productName } from "../objects/subscriptions.ts";
import { idOf } from "../store.ts";
import { money, sendPage } from "./page.ts";

const SHOWN = 50;

/** Shows the objects and events of the account, with what one can have happen to them; returns false for other addresses. */
export function serveDashboard(
  parts: ControlParts,
  { method = "GET" }: http.IncomingMessage,
  response: http.ServerResponse,
  url: URL,
): boolean {
  if (method !== "GET" || url.pathname !== "/") return false;
  const body = html`${sessions(parts)}${subscriptions(parts)}${charges(parts)}${disputes(parts)}${transfers(parts)}${accounts(parts)}${customers(parts)}${invoices(parts)}${paymentIntents(parts)}${events(parts)}`;
  sendPage(response, { title: "Dashboard", body });
  return true;
}

function control(path: string, label: string, fields: Record<string, string> = {}): Markup {
  return button(`/_standin/${path}`, label, { ...fields, _back: "/" });
}

function table(title: string, rows: readonly (readonly (string | Markup)[])[]): Markup {
  const lines = rows.map(
    (cells) =>
      html`<tr>
        ${cells.map((cell) => html`<td>${cell}</td>`)}
      </tr>`,
  );
  const content =
    lines.length > 0
      ? html`<table>
          ${lines}
        </table>`
      : html`<p class="muted">None yet.</p>`;
  return html`<section>
    <h2>${title}</h2>
    ${content}
  </section>`;
}

const NOTHING = new Markup("");

function sessions({ books }: ControlParts): Markup {
  const rows = books.store.list("checkout.session", SHOWN).map((session) => {
    const { id, status, payment_status: payment } = session;
    const promised = html`${control(`sessions/${id}/pay`, "The money arrives")}${control(`sessions/${id}/fail`, "It does not")}`;
    const open = html`<a href="/checkout/${id}">Page</a> ${control(`sessions/${id}/expire`, "Expire")}`;
    return [
      id,
      session.mode,
      money(session.amount_total, session.currency),
      `${status}, ${payment}`,
      isPromised(session) ? promised : status === "open" ? open : NOTHING,
    ];
  });
  return table("Checkout sessions", rows);
}

function subscriptions({ books }: ControlParts): Markup {
  const rows = books.store.list("subscription", SHOWN).map((subscription) => {
    const price = subscription.items.data[0]?.price;
    return [
      subscription.id,
      idOf(subscription.customer),
      price ? productName(books, price) : "",
      subscription.status,
      hasEnded(subscription)
        ? NOTHING
        : control(`subscriptions/${subscription.id}/advance`, "A period later"),
    ];
  });
  return table("Subscriptions", rows);
}

function charges({ books }: ControlParts): Markup {
  const rows = books.store.list("charge", SHOWN).map((charge) => {
    const canReturn = charge.status === "succeeded" && !charge.refunded;
    const choices = html`${control(`charges/${charge.id}/refund`, "Refund")}${charge.disputed ? "" : control(`charges/${charge.id}/dispute`, "Dispute")}`;
    return [
      charge.id,
      money(charge.amount, charge.currency),
      charge.status,
      charge.amount_refunded > 0 ? `${money(charge.amount_refunded, charge.currency)} refunded` : "",
      canReturn ? choices : NOTHING,
    ];
  });
  return table("Charges", rows);
}

function disputes({ books }: ControlParts): Markup {
  const rows = books.store.list("dispute", SHOWN).map(({ id, charge, amount, currency, status }) => {
    const isOpen = status !== "won" && status !== "lost";
    const choices = html`${control(`disputes/${id}/close`, "Won", { outcome: "won" })}${control(`disputes/${id}/close`, "Lost", { outcome: "lost" })}`;
    return [id, idOf(charge), money(amount, currency), status, isOpen ? choices : NOTHING];
  });
  return table("Disputes", rows);
}

function transfers({ books }: ControlParts): Markup {
  const rows = books.store
    .list("transfer", SHOWN)
    .map(({ id, destination, amount, amount_reversed: reversed, currency }) => [
      id,
      destination === null ? "" : idOf(destination),
      money(amount, currency),
      reversed > 0 ? `${money(reversed, currency)} reversed` : "",
    ]);
  return table("Transfers", rows);
}

function accounts({ books }: ControlParts): Markup {
  const rows = books.store
    .list("account", SHOWN)
    .map(({ id, email, capabilities }) => [
      id,
      email ?? "",
      `transfers ${capabilities?.transfers ?? "not requested"}`,
      control(`accounts/${id}/onboard`, "Accept"),
    ]);
  return table("Connected accounts", rows);
}

function customers({ books }: ControlParts): Markup {
  const rows = books.store
    .list("customer", SHOWN)
    .map(({ id, email, metadata }) => [id, email ?? "", metadata["team_id"] ?? ""]);
  return table("Customers", rows);
}

function invoices({ books }: ControlParts): Markup {
  const rows = books.store
    .list("invoice", SHOWN)
    .map(({ id, customer, amount_due: due, currency, status }) => [
      id,
      customer === null ? "" : idOf(customer),
      money(due, currency),
      status ?? "",
    ]);
  return table("Invoices", rows);
}

function paymentIntents({ books }: ControlParts): Markup {
  const rows = books.store
    .list("payment_intent", SHOWN)
    .map(({ id, amount, currency, status }) => [id, money(amount, currency), status]);
  return table("Payment intents", rows);
}

function events({ books, webhooks }: ControlParts): Markup {
  const { hold, shuffle, duplicate, drop } = webhooks.mode;
  const modes = [
    ...(hold ? ["held"] : []),
    ...(shuffle ? ["shuffled"] : []),
    ...(duplicate ? ["sent twice"] : []),
    ...(drop > 0 ? [`next ${drop} dropped`] : []),
  ];
  const rows = books.events
    .list(SHOWN)
    .map(({ id, type, object_id: object, outcome, attempts, failure }) => [
      id,
      type,
      object,
      `${outcome} after ${attempts}${failure === null ? "" : `: ${failure}`}`,
      control(`events/${id}/send`, "Send again"),
    ]);
  return html`<section>
      <h2>Deliveries</h2>
      <p>${modes.length > 0 ? `Events are ${modes.join(", ")}.` : "Events are sent as they happen."}</p>
      ${control("webhooks/hold", "Hold")}${control("webhooks/shuffle", "Shuffle")}${control("webhooks/duplicate", "Send twice")}${control("webhooks/drop", "Drop one")}${control("webhooks/release", "Normal again")}
    </section>
    ${table("Events", rows)}`;
}
