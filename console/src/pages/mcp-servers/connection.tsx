import type { api } from "@agent-workspace/client";
import { Link } from "wouter-preact";
import { ActionButton } from "../../parts/action-button.tsx";
import { AskFirst } from "../../parts/ask-first.tsx";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { names } from "./reads.ts";

/** How a server that wants a sign-in is connected, and disconnected. A stdio server has none: it is allowed. */
export function Connection({ server }: { server: api.McpServer }) {
  const { id, name, url, auth, state, oauth } = server;
  if (url.startsWith("stdio:")) {
    return state === "needs_authorization" ? (
      <p>
        Allow it again under <Link href="/mcp-servers/stdio">stdio servers</Link>.
      </p>
    ) : null;
  }
  const wantsOne = auth === "oauth" || (auth === "none" && state === "needs_authorization");
  if (!wantsOne) return null;
  const isConnected = oauth?.is_connected ?? false;
  const needed = oauth?.needed_scopes ?? [];
  return (
    <section aria-label="Sign-in">
      {needed.length > 0 && (
        <p class="notice">
          The server asks for more permissions: {needed.join(", ")}. Connect again to grant them.
        </p>
      )}
      <div class="row">
        <ActionButton isPrimary={state === "needs_authorization"} work={() => goAndAgree(server)}>
          {isConnected ? "Connect again" : "Connect"}
        </ActionButton>
        {isConnected && (
          <AskFirst
            label="Disconnect…"
            title={`Disconnect ${name}?`}
            confirm="Disconnect"
            work={async () => {
              await workspace.request("POST", "/api/mcp/servers/{mcp_server}/disconnect", {
                path: { mcp_server: id },
              });
              stale(names.servers);
            }}
          >
            <p>Agents can no longer call its tools, until somebody connects it again.</p>
          </AskFirst>
        )}
      </div>
    </section>
  );
}

/**
 * The authorization server's own page, in another window where the browser permits one: it ends on a page that can be closed, and
 * this one looks anew when the person is back.
 */
async function goAndAgree({ id, auth }: api.McpServer): Promise<void> {
  const other = window.open("", "_blank");
  const path = { mcp_server: id };
  try {
    if (auth !== "oauth") {
      await workspace.request("PATCH", "/api/mcp/servers/{mcp_server}", { path, body: { auth: "oauth" } });
    }
    const { authorization_url } = await workspace.request("POST", "/api/mcp/servers/{mcp_server}/authorize", {
      path,
    });
    window.addEventListener("focus", () => stale(names.servers), { once: true });
    (other ?? window).location.assign(authorization_url);
  } catch (refusal) {
    other?.close();
    throw refusal;
  }
}
