import { Route, Switch } from "wouter-preact";
import { Heading } from "../../parts/heading.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { CustomModels } from "./custom-models.tsx";
import { CustomProviders } from "./custom-providers.tsx";
import { ModelKeys } from "./model-keys.tsx";
import { Models } from "./models.tsx";

const TABS = [
  { path: "/models", name: "Models" },
  { path: "/models/keys", name: "Provider keys" },
  { path: "/models/custom", name: "Custom" },
];

/** The models that agents may think with, and what the person adds to them. */
export function ModelsPage() {
  return (
    <>
      <Heading>Models</Heading>
      <Tabs label="Models" tabs={TABS} />
      <Switch>
        <Route path="/models">
          <Models />
        </Route>
        <Route path="/models/keys">
          <ModelKeys />
        </Route>
        <Route path="/models/custom">
          <CustomProviders />
          <CustomModels />
        </Route>
        <Route>
          <p class="muted">This page does not exist.</p>
        </Route>
      </Switch>
    </>
  );
}
