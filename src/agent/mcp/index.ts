import { leaveOf, namesFor, type ServerOfTask } from "#src/domain/agent-work/mcp/index.ts";
import type { ToolDefinition } from "#src/models/model.ts";
import type { RunSecrets } from "../scrubbing/run-secrets.ts";
import type { ForeignTools, Tool } from "../tools/tool.ts";
import { findTools, namesFound } from "./find-tools.ts";
import { mcpTool } from "./mcp-tool.ts";
import { ServerLink, type LinkDeps } from "./server-link.ts";

/** Most tools of all servers that a model is shown at once. Of more it is shown those that it has found. */
const MOST_SHOWN = 40;

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
    { secrets, signal }: { secrets: Pick<RunSecrets, "known" | "learn">; signal: AbortSignal },
  ) {
    const linked = servers.map((server) => ({
      server,
      link: new ServerLink(deps, server, { signal, secrets }),
    }));
    const offered = linked.flatMap(({ server, link }) =>
      server.tools
        .filter(({ name, problem }) => problem === null && !leaveOf(server.rules, name).isDenied)
        .map((tool) => ({ server, link, tool })),
    );
    const names = namesFor(
      offered.map(({ server, tool }) => ({ serverId: server.id, server: server.name, tool: tool.name })),
    );
    const all = offered.map((each, place) => mcpTool({ ...each, secrets, name: names[place] ?? "" }));
    this.tools = all.length > MOST_SHOWN ? [findTools(all)] : all;
    this.#byName = new Map([...all, ...this.tools].map((tool) => [tool.name, tool]));
    this.#links = linked.map(({ link }) => link);
  }

  find(name: string): Tool | undefined {
    return this.#byName.get(name);
  }

  /** The definitions of tools that calls of the task have found, the newest ones if they are too many. */
  found(calls: readonly { name: string; result: unknown }[]): ToolDefinition[] {
    return namesFound(calls)
      .slice(-MOST_SHOWN)
      .flatMap((name) => this.#byName.get(name)?.definition ?? []);
  }

  /** Throws nothing. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#links.map((link) => link.close()));
  }
}
