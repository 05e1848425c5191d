import { Link } from "wouter-preact";
import { Heading } from "../../parts/heading.tsx";
import { State } from "../../parts/badge.tsx";
import { creditsInWords } from "../../parts/credits.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { useTeamRole } from "../../service/roles.ts";
import { Buying } from "./buying.tsx";
import { Earnings } from "./earnings.tsx";
import { Payments, Purchases } from "./past.tsx";
import { planName, Plans } from "./plans.tsx";
import { usePlan, usePrices } from "./reads.ts";

/** The plan and the credits of the team, and what it paid. */
export function BillingPage() {
  const role = useTeamRole();
  return (
    <>
      <Heading>Billing</Heading>
      <Plan />
      <Loaded of={usePrices()}>
        {(prices) => (
          <>
            {prices.stripe_publishable_key === null && (
              <p class="notice">
                Payments are not set up on this installation, so nothing can be bought here.
              </p>
            )}
            <Plans prices={prices} mayBuy={prices.stripe_publishable_key !== null && role === "admin"} />
            {prices.stripe_publishable_key !== null && role === "admin" && <Buying prices={prices} />}
            {prices.stripe_publishable_key !== null && role !== undefined && role !== "admin" && (
              <p class="muted">Administrators of the team can buy credits and change the plan.</p>
            )}
            <Earnings mayConnect={prices.stripe_publishable_key !== null && role === "admin"} />
          </>
        )}
      </Loaded>
      <Purchases />
      <Payments />
    </>
  );
}

function Plan() {
  return (
    <Loaded of={usePlan()}>
      {(plan) => (
        <>
          <dl class="facts">
            <dt>Plan</dt>
            <dd>
              {planName(plan.tier)} {plan.status !== null && <State of={plan.status} />}
            </dd>
            {plan.current_period_end !== null && (
              <>
                <dt>{plan.cancel_at_period_end ? "Ends" : "Paid until"}</dt>
                <dd>
                  <Moment at={plan.current_period_end} />
                </dd>
              </>
            )}
            <dt>Credits</dt>
            <dd>{creditsInWords(plan)}</dd>
          </dl>
          <p>
            <Link href="/usage">See what credits were spent on</Link>
          </p>
        </>
      )}
    </Loaded>
  );
}
