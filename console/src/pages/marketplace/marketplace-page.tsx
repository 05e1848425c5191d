import { Route, Switch } from "wouter-preact";
import { Heading } from "../../parts/heading.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { ItemList } from "./item-list.tsx";
import { ItemPage } from "./item-page.tsx";
import { Library } from "./library.tsx";

const TABS = [
  { path: "/marketplace", name: "Agents" },
  { path: "/marketplace/templates", name: "Templates" },
  { path: "/marketplace/library", name: "My library" },
];

/** Agents and templates that people publish, and those that the team has. */
export function MarketplacePage() {
  return (
    <Switch>
      <Route path="/marketplace/agents/:slug">
        {({ slug }) => <ItemPage key={slug} kind="agent" slug={slug ?? ""} />}
      </Route>
      <Route path="/marketplace/templates/:slug">
        {({ slug }) => <ItemPage key={slug} kind="base" slug={slug ?? ""} />}
      </Route>
      <Route>
        <Heading>Marketplace</Heading>
        <Tabs label="Marketplace" tabs={TABS} />
        <Switch>
          <Route path="/marketplace/templates">
            <ItemList key="base" kind="base" />
          </Route>
          <Route path="/marketplace/library">
            <Library />
          </Route>
          <Route>
            <ItemList key="agent" kind="agent" />
          </Route>
        </Switch>
      </Route>
    </Switch>
  );
}
