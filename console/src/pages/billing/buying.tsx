import type { api } from "@agent-workspace/client";
import { money } from "../../parts/money.ts";
import { number } from "../../parts/numbers.ts";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { workspace } from "../../service/workspace.ts";
import { usePlan } from "./reads.ts";

/** What an administrator of the team can buy beside a plan. Each button leads to a page of the payment provider. */
export function Buying({ prices }: { prices: api.GetBillingConfigResponses[200] }) {
  const { data: plan } = usePlan();
  const { run, isBusy, error } = useAction(async (ask: () => Promise<{ url: string }>) => {
    const { url } = await ask();
    location.assign(url);
  });
  return (
    <>
      {plan && plan.stripe_customer_id !== null && (
        <button
          type="button"
          disabled={isBusy}
          onClick={() => run(() => workspace.request("GET", "/api/billing/portal"))}
        >
          Change plan or card
        </button>
      )}
      <h2>Buy credits</h2>
      <div class="row">
        {Object.entries(prices.credit_packages).map(([name, { credits, price_cents }]) => (
          <button
            key={name}
            type="button"
            disabled={isBusy}
            onClick={() =>
              run(() =>
                workspace.request("POST", "/api/billing/credits/purchase", { body: { package: name } }),
              )
            }
          >
            {number(credits)} credits for {money(price_cents)}
          </button>
        ))}
      </div>
      {error !== undefined && <Refused error={error} />}
    </>
  );
}
