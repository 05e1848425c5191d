import { Route, Switch } from "wouter-preact";
import { Heading } from "../../parts/heading.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { AgentPage, NewAgent } from "./agent-page.tsx";
import { AgentList } from "./agent-list.tsx";
import { ProjectAgents } from "./project-agents.tsx";

/** Agents: who works on a message. */
export function AgentsPage() {
  return (
    <Switch>
      <Route path="/agents/new">
        <NewAgent />
      </Route>
      <Route path="/agents/projects">
        <AgentsHeading />
        <ProjectAgents />
      </Route>
      <Route path="/agents/:agent">{({ agent }) => <AgentPage key={agent} agent={agent} />}</Route>
      <Route path="/agents">
        <AgentsHeading />
        <AgentList />
      </Route>
    </Switch>
  );
}

const TABS = [
  { path: "/agents", name: "All agents" },
  { path: "/agents/projects", name: "By project" },
];

function AgentsHeading() {
  return (
    <>
      <Heading>Agents</Heading>
      <Tabs label="Agents" tabs={TABS} />
    </>
  );
}
