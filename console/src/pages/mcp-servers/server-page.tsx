import type { api } from "@agent-workspace/client";
import { Link } from "wouter-preact";
import { ActionButton } from "../../parts/action-button.tsx";
import { AskFirst } from "../../parts/ask-first.tsx";
import { State, stateWord } from "../../parts/badge.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { useLeadOn } from "../../parts/use-lead-on.ts";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { names, useServer } from "./reads.ts";
import { Connection } from "./connection.tsx";
import { Tools } from "./tools.tsx";
import { Notes } from "./notes.tsx";

/** One server: how it stands, and what agents may do with its tools. */
export function ServerPage({ server }: { server: string }) {
  return (
    <>
      <p class="small">
        <Link href="/mcp-servers">MCP servers</Link>
      </p>
      <Loaded title="MCP server" of={useServer(server)}>
        {(found) => (
          <>
            <Heading actions={<Delete server={found} />}>{found.name}</Heading>
            <Facts server={found} />
            <Tools server={found} />
          </>
        )}
      </Loaded>
    </>
  );
}

/** Who uses a server, as the form says it with which one is added. */
const FOR = {
  person: "You, in all projects",
  team: "Everybody in the team",
  project: "Everybody in one project",
} as const;

function Facts({ server }: { server: api.McpServer }) {
  const { id, url, scope, state, state_since, has_token, oauth, headers, last_error, notes } = server;
  const secrets = [
    ...(has_token ? ["token"] : []),
    ...(oauth?.is_connected ? ["tokens of the sign-in"] : []),
    ...(oauth?.has_client_secret ? ["client secret"] : []),
    ...Object.keys(headers),
  ];
  return (
    <>
      <dl class="facts">
        <dt>Address</dt>
        <dd>{url.startsWith("stdio:") ? "A program named in the project's .mcp.json" : url}</dd>
        <dt>For</dt>
        <dd>{FOR[scope]}</dd>
        <dt>State</dt>
        <dd>
          <State of={state} /> since <Moment at={state_since} />
        </dd>
        <dt>Secrets</dt>
        <dd>{secrets.length === 0 ? "None" : `${stateWord(secrets.join(", "))} (hidden)`}</dd>
        {oauth && oauth.issuer !== null && (
          <>
            <dt>Signs in at</dt>
            <dd>{oauth.issuer}</dd>
          </>
        )}
        {oauth && oauth.scopes.length > 0 && (
          <>
            <dt>Permissions</dt>
            <dd>{oauth.scopes.join(", ")}</dd>
          </>
        )}
      </dl>
      {last_error !== null && <p class="notice bad">{last_error}</p>}
      <Connection server={server} />
      <div class="row">
        <ActionButton
          work={async () => {
            await workspace.request("POST", "/api/mcp/servers/{mcp_server}/test", {
              path: { mcp_server: id },
            });
            stale(names.servers);
          }}
        >
          Test connection
        </ActionButton>
      </div>
      <Notes label="Left out" notes={notes} />
    </>
  );
}

function Delete({ server: { id, name } }: { server: api.McpServer }) {
  const leadOn = useLeadOn();
  return (
    <AskFirst
      label="Delete server…"
      title={`Delete ${name}?`}
      confirm="Delete server"
      work={async () => {
        await workspace.request("DELETE", "/api/mcp/servers/{mcp_server}", { path: { mcp_server: id } });
        stale(names.servers);
        leadOn("/mcp-servers");
      }}
    >
      <p>Agents no longer have its tools. Its token is deleted with it.</p>
    </AskFirst>
  );
}
