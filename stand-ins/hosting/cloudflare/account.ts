import { hexOf, iso } from "../ids.ts";
import type { Exchange, WireCall } from "../wire.ts";
import { refuse, success } from "./errors.ts";

/** The id of the account that a token may use: 32 hexadecimal digits, which the person enters beside the token. */
export function accountId(account: string): string {
  return hexOf(`cloudflare ${account}`);
}

/** The name of an account's sites below workers.dev. */
export function subdomainOf(account: string): string {
  return `standin-${account.slice(0, 8)}`;
}

/** Throws where the path names an account that is not the token's. */
export function checkAccount({ account, at }: Exchange): void {
  if (at("account") !== accountId(account)) throw refuse(403, 10_000, "Authentication error");
}

const show = (account: string) => ({
  id: accountId(account),
  name: `Account ${account.slice(0, 6)}`,
  type: "standard",
  settings: { enforce_twofactor: false },
  created_on: iso(0),
});

/** Who the token belongs to. */
export const cloudflareAccount: readonly WireCall[] = [
  {
    method: "GET",
    path: "user/tokens/verify",
    run: ({ account }) => success({ id: hexOf(`token ${account}`), status: "active" }),
  },
  {
    method: "GET",
    path: "accounts",
    run: ({ account }) =>
      success([show(account)], 200, {
        result_info: { page: 1, per_page: 20, total_pages: 1, count: 1, total_count: 1 },
      }),
  },
  {
    method: "GET",
    path: "accounts/{account}",
    run(exchange) {
      checkAccount(exchange);
      return success(show(exchange.account));
    },
  },
  {
    method: "GET",
    path: "accounts/{account}/workers/subdomain",
    run(exchange) {
      checkAccount(exchange);
      return success({ subdomain: subdomainOf(exchange.account) });
    },
  },
];
