import { Route, Switch } from "wouter-preact";
import { DeployForm } from "./deploy-form.tsx";
import { DeploymentList } from "./deployment-list.tsx";
import { DeploymentPage } from "./deployment-page.tsx";

/** Deployments at hosting providers: their list, the form of a new one, and each with its log. */
export function DeploymentsPage() {
  return (
    <Switch>
      <Route path="/deployments/new">
        <DeployForm />
      </Route>
      <Route path="/deployments/:deployment">
        {({ deployment }) => <DeploymentPage key={deployment} deployment={deployment ?? ""} />}
      </Route>
      <Route>
        <DeploymentList />
      </Route>
    </Switch>
  );
}
