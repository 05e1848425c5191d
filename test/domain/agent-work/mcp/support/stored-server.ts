import { insertServer, type NewMcpServer } from "#src/domain/agent-work/mcp/queries.ts";
import { NO_RULES } from "#src/domain/agent-work/mcp/rules.ts";
import { newId } from "#src/lib/ids.ts";
import { newColleague } from "#test/support/colleagues.ts";
import type { fileDatabase } from "#test/support/database.ts";
import { CLIENT } from "#test/support/people.ts";

export type Owned = Pick<NewMcpServer, "scope" | "userId" | "teamId" | "projectId">;

/** Stores a server that was found connected. */
export async function storeServer(
  database: Awaited<ReturnType<typeof fileDatabase>>,
  owned: Owned,
  { name = "tracker", ...fields }: Partial<NewMcpServer> = {},
) {
  const server = {
    id: newId(),
    name,
    url: `https://${name}.test/mcp`,
    auth: "none",
    rules: NO_RULES,
    state: "connected",
    ...owned,
    ...fields,
  } as const;
  const { id: userId } = await newColleague(database.db);
  return insertServer(database, server, { userId, logTeamId: null, client: CLIENT });
}
