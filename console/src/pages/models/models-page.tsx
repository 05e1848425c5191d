import { Route, Switch } from "wouter-preact";
import { Tabs } from "../../parts/tabs.tsx";
import { CustomModels } from "./custom-models.tsx";
import { CustomProviders } from "./custom-providers.tsx";
import { ModelKeys } from "./model-keys.tsx";
import { Models } from "./models.tsx";

const TABS = [
  { path: "/models", name: "Models" },
  { path: "/models/keys", name: "Your keys" },
  { path: "/models/custom", name: "Your providers and models" },
];

/** The models that agents may think with, and what the person adds to them. */
export function ModelsPage() {
  return (
    <>
      <h1>Models</h1>
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
          <p>There is no such page.</p>
        </Route>
      </Switch>
    </>
  );
}
