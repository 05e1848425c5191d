import { Route, Switch } from "wouter-preact";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { names } from "./reads.ts";
import { ScheduleForm, type ScheduleInput } from "./schedule-form.tsx";
import { ScheduleList } from "./schedule-list.tsx";
import { SchedulePage } from "./schedule-page.tsx";
import { Heading } from "../../parts/heading.tsx";
import { useLeadOn } from "../../parts/use-lead-on.ts";

/** Schedules: their list, the form of a new one, and each schedule with its runs. */
export function SchedulesPage() {
  return (
    <Switch>
      <Route path="/schedules/new">
        <NewSchedule />
      </Route>
      <Route path="/schedules/:schedule">
        {({ schedule }) => <SchedulePage key={schedule} schedule={schedule ?? ""} />}
      </Route>
      <Route>
        <ScheduleList />
      </Route>
    </Switch>
  );
}

function NewSchedule() {
  const leadOn = useLeadOn();
  const make = async ({ repeat, ...input }: ScheduleInput) => {
    const made = await workspace.schedules.create({ ...input, ...(repeat > 0 && { repeat }) });
    stale(names.schedules);
    leadOn(`/schedules/${made.id}`);
  };
  return (
    <>
      <Heading>New schedule</Heading>
      <ScheduleForm button="Create schedule" save={make} />
    </>
  );
}
