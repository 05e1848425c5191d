import type { api } from "@agent-workspace/client";
import { Plug } from "lucide-preact";
import { Link } from "wouter-preact";
import { State } from "../../parts/badge.tsx";
import { Collection } from "../../parts/collection.tsx";
import { plural } from "../../parts/numbers.ts";
import { useServers } from "./reads.ts";

/** All MCP servers that the person can see. */
export function ServerList() {
  return (
    <Collection
      title="MCP servers"
      about={
        <>
          Agents use the tools of MCP servers: issue trackers, databases, your own. Programs that a project
          names in its .mcp.json are <Link href="/mcp-servers/stdio">stdio servers</Link>.
        </>
      }
      make={{ href: "/mcp-servers/new", name: "Add server" }}
      of={useServers()}
      icon={Plug}
      none={{ title: "No MCP servers yet", about: "Add one, then ask the agent to use its tools." }}
    >
      {(server) => <ServerLine key={server.id} server={server} />}
    </Collection>
  );
}

function ServerLine({ server }: { server: api.McpServer }) {
  const { id, name, scope, state, tool_count, changed_tools, last_error } = server;
  return (
    <li>
      <Link href={`/mcp-servers/${id}`}>{name}</Link>
      <span class="muted small">
        {OWNERS[scope]} · {plural(tool_count, "tool")}
        {changed_tools > 0 && ` · ${plural(changed_tools, "tool")} changed`}
      </span>
      <State of={state} />
      {last_error !== null && <span class="small outcome failed">{last_error}</span>}
    </li>
  );
}

/** Whose a server is. */
const OWNERS = { person: "Yours", team: "Team", project: "Project" } as const;
