import type { Caller } from "#src/domain/access/permissions/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import { named, type ManageDeps } from "./manage-servers.ts";
import { changeServer, insertServer, stdioServersOf, type McpServer } from "./queries.ts";
import { NO_RULES } from "./rules.ts";
import { namesIn } from "./references.ts";
import { readStdioFile, STDIO_FILE, textsOf, type StdioEntry, type StdioFile } from "./stdio-file.ts";
import { NO_PROGRAMS, stdioUrl } from "./stdio-program.ts";
import type { ReachDeps } from "./target.ts";
import { testStored } from "./test-server.ts";

/** A stdio server of a project's file. */
export interface StdioServer extends StdioEntry {
  /** `changed`: somebody allowed it, and the file says something else of it since. */
  state: "not_allowed" | "allowed" | "changed";
  /** Names of variables whose values it is given, because it refers to them. */
  uses: string[];
  /** The server that agents use; null before it is allowed. */
  serverId: string | null;
}

export interface StdioServers {
  servers: StdioServer[];
  notes: string[];
}

/**
 * The stdio servers that a project's file names, for those who may allow them: arguments may be secret. A project that is asleep, and a
 * runtime without programs, are notes. Throws as `requireProject` does.
 */
export async function listStdioServers(
  deps: ReachDeps,
  caller: Caller,
  project: string,
): Promise<StdioServers> {
  const { id } = await requireProject(deps, caller, project, "mcp.manage");
  const [file, rows] = await Promise.all([fileOf(deps, id), stdioServersOf(deps.db, id)]);
  const byName = new Map(rows.map((row) => [row.name, row]));
  return {
    servers: file.entries.map((entry) => {
      const row = byName.get(entry.name);
      const uses = namesIn(textsOf(entry));
      if (!row) return { ...entry, uses, state: "not_allowed", serverId: null };
      return {
        ...entry,
        uses,
        state: row.url === stdioUrl(entry.hash) ? "allowed" : "changed",
        serverId: row.id,
      };
    }),
    notes: file.notes,
  };
}

async function fileOf(deps: ReachDeps, projectId: string): Promise<StdioFile> {
  const { runsProcesses } = deps.workspaces.runtime(projectId);
  try {
    const { entries, notes } = await readStdioFile(deps, projectId);
    const isNews = !runsProcesses && entries.length > 0;
    return { entries, notes: isNews ? [`${NO_PROGRAMS}: stdio servers are not started`, ...notes] : notes };
  } catch (error) {
    if (!(error instanceof AppError && error.code === "asleep")) throw error;
    return { entries: [], notes: [`The project is asleep: start it to read its ${STDIO_FILE}`] };
  }
}

/**
 * Allows a stdio server as the file names it now, which is what `hash` says, and starts it to read its tools: the state says what came
 * of that. Throws `conflict` for one that the file names no longer, or otherwise, and as `createServer` does.
 */
export async function allowStdioServer(
  deps: ManageDeps,
  caller: Caller,
  { project, name, hash }: { project: string; name: string; hash: string },
  client: Client,
): Promise<McpServer> {
  const { id: projectId, teamId } = await requireProject(deps, caller, project, "mcp.manage");
  const { entries } = await readStdioFile(deps, projectId);
  if (!entries.some((entry) => entry.name === name && entry.hash === hash)) {
    throw new AppError(
      "conflict",
      `The file ${STDIO_FILE} now says something else of '${name}': look at it again`,
    );
  }
  const url = stdioUrl(hash);
  const rows = await stdioServersOf(deps.db, projectId);
  const before = rows.find((row) => row.name === name);
  if (before?.url === url) return before;
  const entry = { userId: caller.userId, logTeamId: teamId, client };
  const stored = before
    ? await changeServer(deps.db, before, { change: { url, tools: [], notes: [] }, fields: ["url"] }, entry)
    : await named(name, () =>
        insertServer(
          deps,
          {
            id: newId(),
            projectId,
            scope: "project",
            name,
            url,
            auth: "none",
            rules: NO_RULES,
            state: "unreachable",
            lastError: "It was not tried yet",
          },
          entry,
        ),
      );
  if (!stored)
    throw new AppError("conflict", "The server was changed or deleted meanwhile: look at it again");
  return (await testStored(deps, stored)).server;
}
