import { visibleLine, type api } from "@agent-workspace/client";
import { Badge } from "../../parts/badge.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Refused } from "../../parts/refused.tsx";
import { Table } from "../../parts/table.tsx";
import { useAction } from "../../parts/use-action.ts";
import { reads, stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { names, useTools } from "./reads.ts";
import { choiceOf, patternFor, withChoice, withReadOnly, type Choice } from "./tool-rules.ts";

/** The tools of a server, each with what agents may do with it. One change is made after the other, as each goes by all rules. */
export function Tools({ server }: { server: api.McpServer }) {
  const { run, isBusy, error } = useAction((change: Change) => changeServer(server.id, change));
  return (
    <>
      <h2>Tools</h2>
      <p class="muted">
        In the mode “Ask first”, the agent asks before each call of a tool, unless the tool is set to “Allow”.
        The descriptions come from the server.
      </p>
      {error !== undefined && <Refused error={error} />}
      <Loaded of={useTools(server.id)}>
        {(tools) =>
          tools.length === 0 ? (
            <p class="muted">No tools are known. Test the connection to read its list.</p>
          ) : (
            <Table label="Tools" columns={["Tool", "Calls", "Only reads"]}>
              {tools.map((tool) => (
                <ToolLine key={tool.name} rules={server.tools} tool={tool} isBusy={isBusy} onChange={run} />
              ))}
            </Table>
          )
        }
      </Loaded>
    </>
  );
}

type Change = NonNullable<api.UpdateMcpServerData["body"]>;

interface ToolLineProps {
  rules: api.McpServer["tools"];
  tool: api.McpTool;
  isBusy: boolean;
  onChange: (change: Change) => void;
}

function ToolLine({ rules, tool, isBusy, onChange }: ToolLineProps) {
  const { name, description, problem, changed } = tool;
  const shown = visibleLine(name);
  const byPattern = patternFor(rules, name);
  return (
    <tr>
      <td>
        <strong>{shown}</strong> {changed && <Badge kind="warn">Changed</Badge>}
        <div class="muted small">{visibleLine(description).slice(0, 300)}</div>
        {problem !== null && <div class="small outcome failed">{problem}</div>}
        {changed && (
          <div class="small">
            The server now says: “{visibleLine(changed.description).slice(0, 1_000)}”{" "}
            <button
              type="button"
              disabled={isBusy}
              onClick={() => onChange({ accept: { [name]: changed.hash } })}
            >
              Accept change of {shown}
            </button>
          </div>
        )}
      </td>
      <td>
        <select
          aria-label={`Calls of ${shown}`}
          disabled={isBusy || problem !== null || byPattern !== undefined}
          value={choiceOf(rules, name)}
          onChange={({ currentTarget }) =>
            onChange({ tools: withChoice(rules, name, chosen(currentTarget.value)) })
          }
        >
          <option value="ask">Ask first</option>
          <option value="allow">Allow</option>
          <option value="deny">Off</option>
        </select>
        {byPattern !== undefined && <div class="muted small">by the rule {byPattern}</div>}
      </td>
      <td>
        <input
          type="checkbox"
          aria-label={`${shown} only reads`}
          disabled={isBusy || problem !== null}
          checked={rules.read_only.includes(name)}
          onChange={({ currentTarget }) =>
            onChange({ tools: withReadOnly(rules, name, currentTarget.checked) })
          }
        />
      </td>
    </tr>
  );
}

/** Stores a change. What came of it is shown before the next one can be made. */
async function changeServer(id: string, body: Change): Promise<void> {
  const path = { mcp_server: id };
  reads.setQueryData(
    names.server(id),
    await workspace.request("PATCH", "/api/mcp/servers/{mcp_server}", { path, body }),
  );
  stale(names.servers);
}

function chosen(value: string): Choice {
  return value === "allow" || value === "deny" ? value : "ask";
}
