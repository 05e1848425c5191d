import type { api } from "@agent-workspace/client";
import { Link } from "wouter-preact";
import { Loaded } from "../../parts/loaded.tsx";
import { plural } from "../../parts/numbers.ts";
import { useTeam } from "../../service/roles.ts";
import { useAgents } from "./reads.ts";

/** The agents that the team can use, its own first. */
export function AgentList() {
  const team = useTeam();
  const mayManage = team !== undefined && team.role !== "viewer";
  return (
    <Loaded of={useAgents()}>
      {(agents) => {
        const own = agents.filter(({ team_id }) => team_id !== null && team_id === team?.id);
        const others = agents.filter((agent) => !own.includes(agent));
        return (
          <>
            <div class="row">
              <h2>Your team’s agents</h2>
              <span class="spring" />
              {mayManage && (
                <Link class="button primary" href="/agents/new">
                  New agent
                </Link>
              )}
            </div>
            {own.length === 0 && (
              <p class="muted">
                None yet. An agent is a prompt, a set of tools and a model. Pick it in a chat, a schedule, a
                channel or for an API key.
              </p>
            )}
            <Cards agents={own} />
            <h2>Built in and from the marketplace</h2>
            <Cards agents={others} />
          </>
        );
      }}
    </Loaded>
  );
}

function Cards({ agents }: { agents: readonly api.Agent[] }) {
  return (
    <ul class="cards">
      {agents.map((agent) => (
        <li key={agent.id}>
          <h3>
            <Link href={`/agents/${agent.id}`}>{agent.name}</Link>
          </h3>
          {agent.description !== "" && <p class="wrapping">{agent.description}</p>}
          <p class="muted small">
            {agent.selected_model ?? agent.model ?? "Default model"} ·{" "}
            {agent.tools === null ? "all tools" : plural(agent.tools.length, "tool")}
          </p>
        </li>
      ))}
    </ul>
  );
}
