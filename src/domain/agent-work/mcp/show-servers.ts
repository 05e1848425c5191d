import type { Db } from "#src/platform/db/client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { McpServer } from "./queries.ts";
import { authorizationsOf, type Authorization } from "./queries/authorizations.ts";
import { maskUrl, openCredentials, type Credentials } from "./sealed-headers.ts";

/** A server as it is shown: without its secrets. */
export interface ShownServer extends McpServer {
  hasToken: boolean;
  headerNames: string[];
  /** Undefined for a server without OAuth, and before its first connection. */
  authorization: Authorization | undefined;
}

type ShowDeps = { db: Db; secrets: Pick<Secrets, "decrypt"> };

/** Shows servers. Secrets that no configured key opens are shown as none. */
export async function showServers(deps: ShowDeps, servers: readonly McpServer[]): Promise<ShownServer[]> {
  const ids = servers.filter(({ auth }) => auth === "oauth").map(({ id }) => id);
  const rows = ids.length === 0 ? [] : await authorizationsOf(deps.db, ids);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return Promise.all(
    servers.map(async (server) => {
      const { token, headers } = await readable(deps, server);
      return {
        ...server,
        url: maskUrl(server.url),
        hasToken: token !== null,
        headerNames: Object.keys(headers),
        authorization: byId.get(server.id),
      };
    }),
  );
}

/** As `showServers`. */
export async function showServer(deps: ShowDeps, server: McpServer): Promise<ShownServer> {
  const [shown] = await showServers(deps, [server]);
  if (!shown) throw new Error("A server was given and none is shown");
  return shown;
}

/** The stored secrets; none where no configured key opens them. */
export async function readable(
  deps: Pick<ShowDeps, "secrets">,
  { encryptedHeaders }: Pick<McpServer, "encryptedHeaders">,
): Promise<Credentials> {
  return openCredentials(deps, encryptedHeaders).catch(() => ({ token: null, headers: {} }));
}
