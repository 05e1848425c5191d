import { useMemo, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { Heading } from "../../parts/heading.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { creditsInWords } from "../../parts/credits.ts";
import { number } from "../../parts/numbers.ts";
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
      <Heading>Usage</Heading>
      <Credits />
      {role === "viewer" && (
        <p class="muted">Editors and administrators of the team can see what credits were spent on.</p>
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
            <strong>{creditsInWords(credits)}</strong>
          </p>
          <p class="muted">
            One credit is one US cent.{" "}
            {credits.monthly_allowance > 0 && `The plan adds ${number(credits.monthly_allowance)} a month. `}
            <Link href="/billing">Plan and credits</Link>
          </p>
        </>
      )}
    </Loaded>
  );
}
