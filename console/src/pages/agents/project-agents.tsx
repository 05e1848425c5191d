import type { api } from "@agent-workspace/client";
import type { ComponentChild } from "preact";
import { useState } from "preact/hooks";
import { ActionButton } from "../../parts/action-button.tsx";
import { NamedOptions } from "../../parts/fields.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { keys, stale, useProjects } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { useAgentChoice } from "./reads.ts";

/** Which agents were added to a project. */
export function ProjectAgents() {
  const [chosen, setChosen] = useState<string>();
  return (
    <Loaded of={useProjects()}>
      {(projects) => {
        const project = chosen ?? projects[0]?.id;
        if (project === undefined) return <p class="muted">Create a project first.</p>;
        return (
          <>
            <div class="row">
              <label for="project">Project</label>
              <select
                id="project"
                value={project}
                onChange={({ currentTarget }) => setChosen(currentTarget.value)}
              >
                <NamedOptions of={projects} />
              </select>
            </div>
            <Agents key={project} project={project} />
          </>
        );
      }}
    </Loaded>
  );
}

function Agents({ project }: { project: string }) {
  return (
    <Loaded of={useAgentChoice(project)}>
      {({ agents, available, mayChange }) => (
        <>
          <h2>In this project</h2>
          {agents.length === 0 && (
            <p class="muted">None. Chats in this project offer all agents of the team.</p>
          )}
          <Lines agents={agents}>
            {mayChange ? (agent) => <Remove {...{ project, agent }} /> : undefined}
          </Lines>
          <h2>Available</h2>
          {available.length === 0 && <p class="muted">None.</p>}
          <Lines agents={available}>
            {mayChange ? (agent) => <Add {...{ project, agent }} /> : undefined}
          </Lines>
        </>
      )}
    </Loaded>
  );
}

function Lines({
  agents,
  children,
}: {
  agents: readonly api.ProjectAgent[];
  children: ((agent: api.ProjectAgent) => ComponentChild) | undefined;
}) {
  return (
    <ul class="list">
      {agents.map((agent) => (
        <li key={agent.id}>
          <span class="told">
            {agent.name} <span class="muted small">{agent.description}</span>
          </span>
          {children?.(agent)}
        </li>
      ))}
    </ul>
  );
}

interface OfProject {
  project: string;
  agent: api.ProjectAgent;
}

function Add({ project, agent }: OfProject) {
  const path = { project, agent: agent.id };
  return (
    <ActionButton
      work={async () => {
        await workspace.request("POST", "/api/marketplace/projects/{project}/agents/{agent}", { path });
        stale(keys.projects);
      }}
    >
      Add {agent.name}
    </ActionButton>
  );
}

function Remove({ project, agent }: OfProject) {
  const path = { project, agent: agent.id };
  return (
    <ActionButton
      work={async () => {
        await workspace.request("DELETE", "/api/marketplace/projects/{project}/agents/{agent}", { path });
        stale(keys.projects);
      }}
    >
      Remove {agent.name}
    </ActionButton>
  );
}
