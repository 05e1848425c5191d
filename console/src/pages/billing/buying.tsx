import type { api } from "@agent-workspace/client";
import { useRef } from "preact/hooks";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { workspace } from "../../service/workspace.ts";
import { money } from "./money.ts";
import { usePlan } from "./reads.ts";

const PAID = ["basic", "pro", "ultra"] as const;

/** What an administrator of the team can buy. Each button leads to a page of the payment provider. */
export function Buying({ prices }: { prices: api.GetBillingConfigResponses[200] }) {
  const { data: plan } = usePlan();
  const paying = useAction(async (ask: () => Promise<{ url: string }>) => {
    const { url } = await ask();
    location.assign(url);
  });
  const { isBusy, error } = paying;
  const yearly = useRef<HTMLInputElement>(null);
  const subscribe = (body: { tier: string; billing_interval: string }) =>
    paying.run(() => workspace.request("POST", "/api/billing/subscribe", { body }));
  return (
    <>
      <h2>Buy credits</h2>
      <div class="row">
        {Object.entries(prices.credit_packages).map(([name, { credits, price_cents }]) => (
          <button
            key={name}
            type="button"
            disabled={isBusy}
            onClick={() =>
              paying.run(() =>
                workspace.request("POST", "/api/billing/credits/purchase", { body: { package: name } }),
              )
            }
          >
            {credits} credits for {money(price_cents)}
          </button>
        ))}
      </div>
      <h2>Plan</h2>
      <div class="row">
        {plan?.subscription_id === null &&
          PAID.map((tier) => (
            <button
              key={tier}
              type="button"
              disabled={isBusy}
              onClick={() =>
                subscribe({ tier, billing_interval: yearly.current?.checked ? "annual" : "monthly" })
              }
            >
              Subscribe to {tier} for {money(prices.tiers[tier].price_cents)} a month
            </button>
          ))}
        {plan?.subscription_id === null && (
          <label class="row">
            <input type="checkbox" ref={yearly} />
            Paid once a year
          </label>
        )}
        {plan && plan.stripe_customer_id !== null && (
          <button
            type="button"
            disabled={isBusy}
            onClick={() => paying.run(() => workspace.request("GET", "/api/billing/portal"))}
          >
            Change the plan or the card
          </button>
        )}
      </div>
      {error !== undefined && <Refused error={error} />}
    </>
  );
}
