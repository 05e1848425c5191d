import { useMemo, useState } from "preact/hooks";
import "./usage.css";
import { Link } from "wouter-preact";
import { Loaded } from "../../parts/loaded.tsx";
import { useCredits } from "../../service/reads.ts";
import { useTeamRole } from "../../service/roles.ts";
import { CallLog } from "./call-log.tsx";
import { DailyUsage } from "./daily-usage.tsx";
import { ModelUsage } from "./model-usage.tsx";
import { daysOf, PERIODS, type Period } from "./periods.ts";

const isPeriod = (text: string): text is Period => text in PERIODS;

/** What is left of the team's credits, and what they were spent on. */
export function UsagePage() {
  const role = useTeamRole();
  const [period, setPeriod] = useState<Period>("month");
  const days = useMemo(() => daysOf(period, Date.now()), [period]);
  return (
    <>
      <h1>Usage</h1>
      <Credits />
      {role === "viewer" && (
        <p>What they were spent on is shown to editors and administrators of the team.</p>
      )}
      {role !== undefined && role !== "viewer" && (
        <>
          <div class="row">
            <label for="period">Period</label>
            <select
              id="period"
              value={period}
              onChange={({ currentTarget: { value } }) => isPeriod(value) && setPeriod(value)}
            >
              {Object.entries(PERIODS).map(([each, name]) => (
                <option key={each} value={each}>
                  {name}
                </option>
              ))}
            </select>
            <span class="muted small">
              {days.first} to {days.last}, UTC
            </span>
          </div>
          <DailyUsage days={days} />
          <ModelUsage days={days} />
          <CallLog key={period} days={days} />
        </>
      )}
    </>
  );
}

function Credits() {
  return (
    <Loaded of={useCredits()}>
      {(credits) => (
        <>
          <p>
            <strong>{credits.total_credits}</strong> credits are left. One credit is one US cent.{" "}
            <Link href="/billing">Plan and credits</Link>
          </p>
          <dl class="facts">
            <dt>Of the plan</dt>
            <dd>
              {credits.bundled_credits} of {credits.monthly_allowance} a month
            </dd>
            <dt>Of today</dt>
            <dd>{credits.daily_credits}</dd>
            <dt>Bought</dt>
            <dd>{credits.purchased_credits}</dd>
            <dt>Welcome</dt>
            <dd>{credits.signup_bonus_credits}</dd>
          </dl>
        </>
      )}
    </Loaded>
  );
}
