import type { api } from "@agent-workspace/client";
import { Link } from "wouter-preact";
import { AskFirst } from "../../parts/ask-first.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { stale } from "../../service/reads.ts";
import { useTeamRole } from "../../service/roles.ts";
import { workspace } from "../../service/workspace.ts";
import { MARKETPLACE, useLibrary } from "./reads.ts";
import { Subscriptions } from "./subscriptions.tsx";

/** How the team has an agent. */
const TAKEN = {
  system_default: "built in",
  free: "free",
  one_time: "bought",
  monthly: "paid monthly",
} as const;

/** The agents and the templates that the team has. */
export function Library() {
  const role = useTeamRole();
  const mayChange = role === "admin" || role === "editor";
  return (
    <>
      <Loaded of={useLibrary()}>
        {({ agents, bases }) => (
          <>
            <h2>Agents</h2>
            <ul class="list">
              {agents.map((agent) => (
                <AgentLine key={agent.id} agent={agent} mayChange={mayChange} />
              ))}
            </ul>
            <Subscriptions />
            <h2>Templates</h2>
            {bases.length === 0 && <p class="muted">No templates yet. Add one from the marketplace.</p>}
            <ul class="list">
              {bases.map(({ id, slug, name, description }) => (
                <li key={id}>
                  <Link href={`/marketplace/templates/${slug}`}>{name}</Link>
                  <span class="muted small">{description}</span>
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </>
  );
}

function AgentLine({ agent, mayChange }: { agent: api.LibraryAgent; mayChange: boolean }) {
  const { id, slug, name, purchase_type, expires_at, is_enabled, is_custom, is_system } = agent;
  const isTaken = !is_custom && !is_system;
  const switching = useAction(async () => {
    await workspace.request("POST", "/api/marketplace/agents/{agent}/toggle", {
      path: { agent: id },
      query: { enabled: is_enabled ? "false" : "true" },
    });
    stale(MARKETPLACE);
  });
  return (
    <li>
      <span class="told">
        {isTaken ? <Link href={`/marketplace/agents/${slug}`}>{name}</Link> : <span>{name}</span>}{" "}
        <span class="muted small">
          {is_custom ? "your team’s own" : TAKEN[purchase_type]}
          {expires_at !== null && (
            <>
              {" "}
              · until <Moment at={expires_at} />
            </>
          )}
        </span>
      </span>
      <Badge kind={is_enabled ? "good" : "plain"}>{is_enabled ? "On" : "Off"}</Badge>
      {isTaken && mayChange && (
        <>
          <button
            type="button"
            aria-label={`Turn ${name} ${is_enabled ? "off" : "on"}`}
            disabled={switching.isBusy}
            onClick={() => switching.run()}
          >
            Turn {is_enabled ? "off" : "on"}
          </button>
          <AskFirst
            label={`Remove ${name}…`}
            shown="Remove…"
            confirm={`Remove ${name}`}
            title={`Remove ${name} from the library?`}
            work={async () => {
              await workspace.request("DELETE", "/api/marketplace/agents/{agent}/library", {
                path: { agent: id },
              });
              stale(MARKETPLACE);
            }}
          >
            <p>The team can no longer use it. If you paid for it, you can add it again for free.</p>
          </AskFirst>
        </>
      )}
      {switching.error !== undefined && <Refused error={switching.error} />}
    </li>
  );
}
