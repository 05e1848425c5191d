import type { api } from "@agent-workspace/client";
import { AskFirst } from "../../parts/ask-first.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Used } from "../../parts/used.tsx";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { accountKeys, useConnectedApps } from "./reads.ts";

/** MCP clients that the person allowed to act. */
export function ConnectedApps() {
  return (
    <section aria-labelledby="connected-apps">
      <h2 id="connected-apps">Connected apps</h2>
      <p class="muted">
        Programs such as Claude Code or Cursor can work in your projects over MCP. To connect one, add{" "}
        <code>{location.origin}/mcp</code> to it as an MCP server. It then opens a page on which you choose
        what it may do.
      </p>
      <Loaded of={useConnectedApps()}>
        {(apps) =>
          apps.length === 0 ? (
            <p class="muted">No app is connected yet.</p>
          ) : (
            <ul class="list">
              {apps.map((app) => (
                <ConnectedApp key={app.id} app={app} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

function ConnectedApp({ app }: { app: api.ConnectedApp }) {
  return (
    <li>
      <span class="told">
        {app.client_name}{" "}
        <span class="muted small">
          Only in the team {app.team} · {placeOf(app)} · connected <Moment at={app.created_at} /> ·{" "}
          <Used at={app.last_used_at} />
        </span>
        <span class="muted small">It may: {inOneLine(app.permissions)}</span>
      </span>
      <AskFirst
        label={`Disconnect ${app.client_name}…`}
        shown="Disconnect…"
        title={`Disconnect ${app.client_name}?`}
        confirm="Disconnect"
        work={async () => {
          const path = { connected_app: app.id };
          await workspace.request("DELETE", "/api/auth/connected-apps/{connected_app}", { path });
          stale(accountKeys.connectedApps);
        }}
      >
        <p>It loses access at once, and the tasks that it started stop. To use it again, connect it again.</p>
      </AskFirst>
    </li>
  );
}

/** Where it runs, by where it had its person sent back to. */
const placeOf = ({ returns_to: place }: api.ConnectedApp) =>
  place === "this machine" ? "on your computer" : `at ${place}`;

const inOneLine = (permissions: readonly string[]) =>
  permissions.map((each) => each.charAt(0).toLowerCase() + each.slice(1)).join("; ");
