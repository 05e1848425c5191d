import { Route, Switch } from "wouter-preact";
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
        <Heading />
        <ProjectAgents />
      </Route>
      <Route path="/agents/:agent">{({ agent }) => <AgentPage key={agent} agent={agent} />}</Route>
      <Route path="/agents">
        <Heading />
        <AgentList />
      </Route>
    </Switch>
  );
}

const TABS = [
  { path: "/agents", name: "Of the team" },
  { path: "/agents/projects", name: "Of a project" },
];

function Heading() {
  return (
    <>
      <h1>Agents</h1>
      <Tabs label="Agents" tabs={TABS} />
    </>
  );
}
