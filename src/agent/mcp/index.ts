import { leaveOf, MCP_PREFIX, namesFor, type ServerOfTask } from "#src/domain/agent-work/mcp/index.ts";
import type { RunSecrets } from "../scrubbing/run-secrets.ts";
import type { ForeignTools, Tool } from "../tools/tool.ts";
import { mcpTool } from "./mcp-tool.ts";
import { ServerLink, type LinkDeps } from "./server-link.ts";

/** Most tools of all servers that a model is shown. */
export const MOST_OFFERED = 40;

/**
 * The tools of MCP servers in one step of a task. The model is shown them as their owners accepted them; a server is connected to at
 * the first call of one of its tools. The same servers give the same tools in the same order.
 */
export class McpTools implements ForeignTools {
  readonly tools: readonly Tool[];
  readonly #byName: ReadonlyMap<string, Tool>;
  readonly #links: readonly ServerLink[];

  constructor(
    deps: LinkDeps,
    servers: readonly ServerOfTask[],
    { secrets, signal }: { secrets: Pick<RunSecrets, "known">; signal: AbortSignal },
  ) {
    const linked = servers.map((server) => ({ server, link: new ServerLink(deps, server, signal) }));
    const offered = linked.flatMap(({ server, link }) =>
      server.tools
        .filter(({ name, problem }) => problem === null && !leaveOf(server.rules, name).isDenied)
        .map((tool) => ({ server, link, tool })),
    );
    const names = namesFor(
      offered.map(({ server, tool }) => ({ serverId: server.id, server: server.name, tool: tool.name })),
    );
    this.tools = offered
      .map((each, place) => mcpTool({ ...each, secrets, name: names[place] ?? "" }))
      .slice(0, MOST_OFFERED);
    this.#byName = new Map(this.tools.map((tool) => [tool.name, tool]));
    this.#links = linked.map(({ link }) => link);
  }

  find(name: string): Tool | undefined {
    return name.startsWith(MCP_PREFIX) ? this.#byName.get(name) : undefined;
  }

  /** Throws nothing. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#links.map((link) => link.close()));
  }
}
