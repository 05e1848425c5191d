import type { api } from "@agent-workspace/client";
import { useState } from "preact/hooks";
import { Badge } from "../../parts/badge.tsx";
import { money } from "../../parts/money.ts";
import { plural } from "../../parts/numbers.ts";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { workspace } from "../../service/workspace.ts";
import { usePlan } from "./reads.ts";

const TIERS = ["free", "basic", "pro", "ultra"] as const;
/** The service's number for a limit that is none. */
const UNLIMITED = 999_999;

export const planName = (tier: string): string => tier.charAt(0).toUpperCase() + tier.slice(1);

type Prices = api.GetBillingConfigResponses[200];

/** The plans with what they contain, the current one marked. Those who may buy choose one that is paid. */
export function Plans({ prices, mayBuy }: { prices: Prices; mayBuy: boolean }) {
  const { data: plan } = usePlan();
  const [isYearly, setYearly] = useState(false);
  const subscribing = useAction(async (tier: string) => {
    const body = { tier, billing_interval: isYearly ? "annual" : "monthly" };
    const { url } = await workspace.request("POST", "/api/billing/subscribe", { body });
    location.assign(url);
  });
  const maySubscribe = mayBuy && plan?.subscription_id === null;
  return (
    <section aria-label="Plans">
      <h2>Plans</h2>
      {maySubscribe && (
        <label class="check">
          <input
            type="checkbox"
            checked={isYearly}
            onChange={({ currentTarget }) => setYearly(currentTarget.checked)}
          />
          Pay yearly
        </label>
      )}
      <ul class="cards plans">
        {TIERS.map((tier) => {
          const isCurrent = plan?.tier === tier;
          return (
            <li key={tier} class={isCurrent ? "chosen" : ""}>
              <h3>
                {planName(tier)} {isCurrent && <Badge kind="accent">Current plan</Badge>}
              </h3>
              <p>
                <strong>{money(prices.tiers[tier].price_cents)}</strong> <span class="muted">a month</span>
              </p>
              <ul class="contents">
                {contentsOf(prices.tiers[tier]).map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
              {maySubscribe && tier !== "free" && (
                <button type="button" disabled={subscribing.isBusy} onClick={() => subscribing.run(tier)}>
                  Subscribe to {planName(tier)}
                </button>
              )}
            </li>
          );
        })}
      </ul>
      {subscribing.error !== undefined && <Refused error={subscribing.error} />}
    </section>
  );
}

function contentsOf(tier: Prices["tiers"]["free"]): string[] {
  const { bundled_credits, daily_credits, max_projects, max_deploys, byok_enabled, support_tier } = tier;
  return [
    ...(bundled_credits > 0 ? [`${plural(bundled_credits, "credit")} a month`] : []),
    ...(daily_credits > 0 ? [`${plural(daily_credits, "credit")} a day`] : []),
    max_projects >= UNLIMITED ? "Unlimited projects" : plural(max_projects, "project"),
    plural(max_deploys, "always-on project"),
    ...(byok_enabled ? ["Your own provider keys"] : []),
    `${planName(support_tier)} support`,
  ];
}
