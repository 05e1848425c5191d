import type http from "node:http";
import { type Markup, sendPage as send } from "#stand-ins/shared/markup.ts";

/** An amount as a person reads it. */
export function money(amount: number | null, currency: string | null): string {
  return `${((amount ?? 0) / 100).toFixed(2)} ${(currency ?? "usd").toUpperCase()}`;
}

/** Sends a page of the stand-in for Stripe. */
export function sendPage(
  response: http.ServerResponse,
  page: { title: string; body: Markup; status?: number },
): void {
  const notice = "A stand-in for Stripe on this machine. No money moves.";
  send(response, { standsFor: "Stripe", notice, ...page });
}
