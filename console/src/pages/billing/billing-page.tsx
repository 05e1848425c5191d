import { Link } from "wouter-preact";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { useTeamRole } from "../../service/roles.ts";
import { Buying } from "./buying.tsx";
import { Earnings } from "./earnings.tsx";
import { Payments, Purchases } from "./past.tsx";
import { usePlan, usePrices } from "./reads.ts";

/** The plan and the credits of the team, and what it paid. */
export function BillingPage() {
  const role = useTeamRole();
  return (
    <>
      <h1>Billing</h1>
      <Plan />
      <Loaded of={usePrices()}>
        {(prices) => (
          <>
            {prices.stripe_publishable_key === null && (
              <p class="notice">
                Payments are not configured on this installation: nothing can be bought here.
              </p>
            )}
            {prices.stripe_publishable_key !== null && role === "admin" && <Buying prices={prices} />}
            {prices.stripe_publishable_key !== null && role !== undefined && role !== "admin" && (
              <p>Administrators of the team buy credits and change the plan.</p>
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
              {plan.tier}
              {plan.status !== null && `, ${plan.status}`}
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
            <dd>
              {plan.total_credits}: {plan.bundled_credits} of the plan, {plan.daily_credits} of today,{" "}
              {plan.purchased_credits} bought, {plan.signup_bonus_credits} welcome
            </dd>
            <dt>Deployments</dt>
            <dd>at most {plan.max_deploys}</dd>
            <dt>Own model keys</dt>
            <dd>{plan.byok_enabled ? "yes" : "no"}</dd>
          </dl>
          <p>
            <Link href="/usage">What the credits were spent on</Link> ·{" "}
            <a href="/settings/team/billing">Page of the plan, to which a payment returns</a>
          </p>
        </>
      )}
    </Loaded>
  );
}
