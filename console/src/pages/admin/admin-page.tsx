import { Route, Switch } from "wouter-preact";
import { Tabs } from "../../parts/tabs.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useMe } from "../../service/reads.ts";
import { FailedJobs } from "./failed-jobs.tsx";
import { Installation } from "./installation.tsx";
import { PaymentEvents } from "./payment-events.tsx";
import { Trail } from "./trail.tsx";
import { Users } from "./users.tsx";

const TABS = [
  { path: "/admin", name: "Accounts" },
  { path: "/admin/payments", name: "Payment events" },
  { path: "/admin/jobs", name: "Failed jobs" },
  { path: "/admin/trail", name: "Audit trail" },
  { path: "/admin/installation", name: "Installation" },
];

/** What administrators of the installation look at and do. Others see nothing of it, as the service refuses them. */
export function AdminPage() {
  return (
    <Loaded of={useMe()}>
      {({ is_superuser }) =>
        is_superuser ? (
          <Pages />
        ) : (
          <>
            <h1>Administration</h1>
            <p class="notice">This is not yours to see. It is for administrators of this installation.</p>
          </>
        )
      }
    </Loaded>
  );
}

function Pages() {
  return (
    <>
      <h1>Administration</h1>
      <Tabs label="Administration" tabs={TABS} />
      <Switch>
        <Route path="/admin">
          <Users />
        </Route>
        <Route path="/admin/payments">
          <PaymentEvents />
        </Route>
        <Route path="/admin/jobs">
          <FailedJobs />
        </Route>
        <Route path="/admin/trail">
          <Trail />
        </Route>
        <Route path="/admin/installation">
          <Installation />
        </Route>
        <Route>
          <p>There is no such page.</p>
        </Route>
      </Switch>
    </>
  );
}
