import { leaveOf, namesFor, type ServerOfTask } from "#src/domain/agent-work/mcp/index.ts";
import { timeLimit } from "#src/lib/time-limit.ts";
import type { ToolDefinition } from "#src/models/model.ts";
import type { RunSecrets } from "../scrubbing/run-secrets.ts";
import type { ForeignTools, Tool } from "../tools/tool.ts";
import { findTools, namesFound } from "./find-tools.ts";
import { isSameTool, mcpTool, type NamedTool } from "./mcp-tool.ts";
import { ServerLink, type LinkDeps } from "./server-link.ts";

/** Most tools of all servers that a model is shown at once. Of more it is shown those that it has found. */
const MOST_SHOWN = 40;
/** How long a task that is over takes to tell servers so. */
const ABANDON_MS = 3_000;

/** A call that its server goes on with. */
interface DeferredCall {
  /** The tool, by the name by which the model called it. */
  name: string;
  /** As `Deferred.tool`. */
  tool: string;
  /** The server's id of it. */
  taskId: string;
}

type Secrets = Pick<RunSecrets, "known" | "learn">;

/**
 * The tools of MCP servers in one step of a task. The model is shown them as their owners accepted them; a server is connected to at
 * the first call of one of its tools. The same servers give the same tools in the same order.
 */
export class McpTools implements ForeignTools {
  readonly tools: readonly Tool[];
  readonly #byName: ReadonlyMap<string, Tool>;
  readonly #links: readonly ServerLink[];
  readonly #deps: LinkDeps;
  readonly #secrets: Secrets;
  readonly #named: readonly NamedTool[];

  constructor(
    deps: LinkDeps,
    servers: readonly ServerOfTask[],
    { secrets, signal }: { secrets: Secrets; signal: AbortSignal },
  ) {
    this.#deps = deps;
    this.#secrets = secrets;
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
    const named = offered.map((each, place) => ({ ...each, name: names[place] ?? "" }));
    const all = named.map((each) => mcpTool({ ...each, secrets }));
    this.#named = named;
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

  /** Tells servers, once, that the task no longer waits for calls that they go on with. Throws nothing. */
  async abandon(calls: readonly DeferredCall[]): Promise<void> {
    await Promise.allSettled(calls.map((call) => this.#abandon(call)));
  }

  async #abandon({ name, tool, taskId }: DeferredCall): Promise<void> {
    const called = this.#named.find((each) => each.name === name);
    if (!called || !isSameTool(called, tool)) return;
    // The step's own signal may be what ended the task.
    using limit = timeLimit(ABANDON_MS);
    const { signal } = limit;
    const link = new ServerLink(this.#deps, called.server, { signal, secrets: this.#secrets });
    try {
      await link.follow(signal, (connection) => connection.cancelTask(taskId, { signal }));
    } finally {
      await link.close();
    }
  }

  /** Throws nothing. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#links.map((link) => link.close()));
  }
}
