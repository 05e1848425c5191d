import { visibleLine, type api } from "@agent-workspace/client";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { ActionButton } from "../../parts/action-button.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { ProjectChoice } from "../../parts/project-choice.tsx";
import { useLeadOn } from "../../parts/use-lead-on.ts";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { names, useStdioServers } from "./reads.ts";
import { Notes } from "./notes.tsx";

/** The stdio servers that a project's `.mcp.json` names, of which each is allowed by itself. */
export function StdioServers() {
  const [project, setProject] = useState("");
  return (
    <>
      <p class="small">
        <Link href="/mcp-servers">MCP servers</Link>
      </p>
      <Heading>Stdio servers</Heading>
      <p class="muted">
        Programs that a project names in its file <code>.mcp.json</code>. They run in the project's container,
        once you have allowed them.
      </p>
      <div class="form narrow">
        <ProjectChoice id="project" label="Project" value={project} onChoose={setProject} />
      </div>
      {project !== "" && <OfProject key={project} project={project} />}
    </>
  );
}

function OfProject({ project }: { project: string }) {
  return (
    <Loaded of={useStdioServers(project)}>
      {({ servers, notes }) => (
        <>
          {servers.length === 0 && <p class="muted">The project names none.</p>}
          <ul class="list">
            {servers.map((server) => (
              <StdioLine key={server.name} server={server} project={project} />
            ))}
          </ul>
          <Notes label="Notes" notes={notes} />
        </>
      )}
    </Loaded>
  );
}

type StdioServer = api.StdioServers["servers"][number];

function StdioLine({ server, project }: { server: StdioServer; project: string }) {
  const { name, state, hash, command_line, cwd, env, uses, mcp_server_id } = server;
  const leadOn = useLeadOn();
  return (
    <li>
      {mcp_server_id === null ? (
        <strong>{name}</strong>
      ) : (
        <Link href={`/mcp-servers/${mcp_server_id}`}>{name}</Link>
      )}
      <code class="small">{visibleLine(command_line)}</code>
      {cwd !== "" && <span class="muted small">In {visibleLine(cwd)}</span>}
      {env.length > 0 && <span class="muted small">Variables: {env.join(", ")}</span>}
      {uses.length > 0 && (
        <span class="muted small">Is given the project's values of: {uses.join(", ")}</span>
      )}
      {state === "allowed" ? <Badge kind="good">Allowed</Badge> : <Badge kind="warn">{STATES[state]}</Badge>}
      {state !== "allowed" && (
        <ActionButton
          work={async () => {
            try {
              const allowed = await workspace.request("POST", "/api/mcp/stdio-servers", {
                body: { project_id: project, name, hash },
              });
              leadOn(`/mcp-servers/${allowed.id}`);
            } finally {
              // A refusal may mean that the file has changed since it was read.
              stale(names.servers);
            }
          }}
        >
          Allow {name}
        </ActionButton>
      )}
    </li>
  );
}

const STATES = { not_allowed: "Not allowed yet", changed: "Changed" } as const;
