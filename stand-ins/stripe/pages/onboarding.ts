import type http from "node:http";
import { button, html, redirect } from "#stand-ins/shared/markup.ts";
import type { Books } from "../books.ts";
import { isValid, onboardAccount } from "../objects/accounts.ts";
import { sendPage } from "./page.ts";

/** Shows the page behind an account link; returns false for other addresses. */
export function serveOnboarding(
  books: Books,
  { method = "GET" }: http.IncomingMessage,
  response: http.ServerResponse,
  url: URL,
): boolean {
  const [, id, verb] = /^\/connect\/(\w+)(?:\/(finish|fail))?$/u.exec(url.pathname) ?? [];
  const visit = id === undefined ? undefined : books.store.find("onboarding", id);
  if (!visit) return false;
  if (!isValid(books, visit)) {
    redirect(response, visit.refresh_url);
    return true;
  }
  if (method === "GET" && verb === undefined) {
    const base = `/connect/${visit.id}`;
    sendPage(response, {
      title: "Receive payments",
      body: html`<section>
        <p>Account ${visit.account}</p>
        ${button(`${base}/finish`, "Introduce yourself")}
        ${button(`${base}/fail`, "Introduce yourself with papers that are refused")}
        <a class="button" href="${visit.return_url}">Later</a>
      </section>`,
    });
    return true;
  }
  if (method !== "POST" || verb === undefined) return false;
  books.store.transaction(() => onboardAccount(books, visit.account, verb === "finish"));
  redirect(response, visit.return_url);
  return true;
}
