import { ActionButton } from "../../parts/action-button.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { plural } from "../../parts/numbers.ts";
import { workspace } from "../../service/workspace.ts";
import { money } from "../../parts/money.ts";
import { useEarnings } from "./reads.ts";

/** What the person earned this month with what they publish, and the way to be paid it. */
export function Earnings({ mayConnect }: { mayConnect: boolean }) {
  return (
    <section aria-label="Earnings">
      <h2>Earnings</h2>
      <p class="muted">Your share of this month’s payments for your agents and templates.</p>
      <Loaded of={useEarnings()}>
        {(earned) => (
          <dl class="facts">
            <dt>Earned</dt>
            <dd>
              {money(earned.total_revenue_cents)} from {plural(earned.total_requests, "payment")}
            </dd>
            <dt>Paid out</dt>
            <dd>{money(earned.paid_revenue_cents)}</dd>
            <dt>Pending</dt>
            <dd>{money(earned.pending_revenue_cents)}</dd>
          </dl>
        )}
      </Loaded>
      {mayConnect && (
        <ActionButton
          work={async () => {
            const { url } = await workspace.request("POST", "/api/billing/connect");
            location.assign(url);
          }}
        >
          Set up payouts
        </ActionButton>
      )}
    </section>
  );
}
