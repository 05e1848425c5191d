import { Route, Switch } from "wouter-preact";
import { Heading } from "../../parts/heading.tsx";
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
  { path: "/admin/trail", name: "Audit log" },
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
            <Heading>Administration</Heading>
            <p class="notice">Only administrators of this installation can see this page.</p>
          </>
        )
      }
    </Loaded>
  );
}

function Pages() {
  return (
    <>
      <Heading>Administration</Heading>
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
          <p class="muted">This page does not exist.</p>
        </Route>
      </Switch>
    </>
  );
}
