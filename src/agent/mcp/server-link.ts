import {
  compareTools,
  failureOf,
  neededScopeOf,
  openHeaders,
  storeOutcome,
  targetOf,
  tokensOf,
  type ReachDeps,
  type ServerFailure,
  type ServerOfTask,
  type TokenDeps,
} from "#src/domain/agent-work/mcp/index.ts";
import type { McpClient, McpConnection } from "#src/platform/mcp-client/mcp-client.ts";
import { settingsOf } from "../scrubbing/mcp-file.ts";
import type { RunSecrets } from "../scrubbing/run-secrets.ts";

export interface LinkDeps extends TokenDeps, Omit<ReachDeps, "secrets"> {
  mcpClient: McpClient;
}

type Tool = ServerOfTask["tools"][number];

/** A server that was reached, and what it says of its tools now. */
interface Reached {
  connection: McpConnection;
  tools: ReadonlyMap<string, Tool>;
}

/** How long a server that could not be used is left alone. */
const REST_MS = 10_000;

/**
 * One server in one step of a task: connected to at its first call, and closed with the step. Its list is compared then, and again
 * before the next call when it says that it has changed.
 */
export class ServerLink {
  readonly #deps: LinkDeps;
  readonly #server: ServerOfTask;
  readonly #signal: AbortSignal;
  readonly #learn: RunSecrets["learn"];
  #reached: Promise<Reached> | undefined;
  /** A connection without a comparison of the list: no tool is called over it. */
  #opened: Promise<McpConnection> | undefined;
  /** Also one whose list could not be read again: other calls may be under way on it. */
  readonly #connections: McpConnection[] = [];
  /** What was last stored of it. */
  #state: ServerOfTask["state"];
  #known: ServerOfTask["tools"];

  constructor(
    deps: LinkDeps,
    server: ServerOfTask,
    { signal, secrets }: { signal: AbortSignal; secrets: Pick<RunSecrets, "learn"> },
  ) {
    this.#deps = deps;
    this.#server = server;
    this.#signal = signal;
    this.#learn = (secret) => secrets.learn(secret);
    this.#state = server.state;
    this.#known = server.tools;
  }

  /** What has changed in a tool since its owner accepted it; null for nothing. Throws what `failureOf` reads. */
  async changeOf(name: string): Promise<Tool["changed"]> {
    return (await this.#reach()).tools.get(name)?.changed ?? null;
  }

  /** Throws what `failureOf` reads, or the signal's reason. */
  async call(
    name: string,
    args: Record<string, unknown>,
    options: Parameters<McpConnection["callTool"]>[2] & { signal: AbortSignal },
  ): ReturnType<McpConnection["callTool"]> {
    const { connection } = await this.#reach();
    try {
      return await connection.callTool(name, args, options);
    } catch (error) {
      options.signal.throwIfAborted();
      await this.#noteFailure(error);
      throw error;
    }
  }

  /** Asks about a call that was made before. Throws what `failureOf` reads, or the signal's reason. */
  async follow<T>(signal: AbortSignal, ask: (connection: McpConnection) => Promise<T>): Promise<T> {
    try {
      const reached = await this.#reached?.catch(() => undefined);
      const told = await ask(reached?.connection ?? (await (this.#opened ??= this.#open())));
      await this.#note({ state: "connected", lastError: null });
      return told;
    } catch (error) {
      signal.throwIfAborted();
      await this.#noteFailure(error);
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#reached, this.#opened]);
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  async #reach(): Promise<Reached> {
    const reaching = (this.#reached ??= this.#checked(this.#connected()));
    const { connection } = await reaching;
    // Of calls at the same time, one reads the list again.
    if (this.#reached !== reaching) return this.#reach();
    if (!connection.isListOld) return reaching;
    return (this.#reached = this.#checked(this.#compared(connection)));
  }

  /** What was reached. A failure is stored, and tried again after a while. */
  async #checked(reaching: Promise<Reached>): Promise<Reached> {
    try {
      return await reaching;
    } catch (error) {
      this.#signal.throwIfAborted();
      // Calls of one turn do not wait for the same silence one after another.
      setTimeout(() => (this.#reached = undefined), REST_MS);
      await this.#noteFailure(error);
      throw error;
    }
  }

  async #connected(): Promise<Reached> {
    const connection = await this.#open();
    try {
      return await this.#compared(connection);
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  async #open(): Promise<McpConnection> {
    const { encryptedHeaders } = this.#server;
    const headers = await openHeaders(this.#deps, encryptedHeaders);
    const name = `MCP server ${this.#server.name}`;
    const tokens = tokensOf(this.#deps, this.#server, (value) =>
      this.#learn({ name, value, declared: true }),
    );
    const signal = this.#signal;
    const target = targetOf(this.#deps, this.#server, {
      headers,
      tokens,
      onStart: (program) => {
        // Its output may repeat them: they are known before it has any.
        for (const setting of settingsOf(program)) this.#learn({ ...setting, declared: false });
      },
    });
    const connection = await this.#deps.mcpClient.connect(target, { signal });
    this.#connections.push(connection);
    return connection;
  }

  /** The connection with what the server says of its tools now, which is compared with what was accepted. */
  async #compared(connection: McpConnection): Promise<Reached> {
    const listed = await connection.listTools({ signal: this.#signal });
    const { tools, isNews } = compareTools(this.#known, listed);
    await this.#note({ state: "connected", lastError: null, ...(isNews && { tools }) });
    return { connection, tools: new Map(tools.map((tool) => [tool.name, tool])) };
  }

  async #noteFailure(error: unknown): Promise<void> {
    const failure = failureOf(error);
    if (!failure) return;
    const neededScope = neededScopeOf(failure);
    await this.#note({ state: failure.kind, lastError: failure.message, neededScope });
  }

  /** Stores how the server was found, if that is news. */
  async #note(outcome: Parameters<typeof storeOutcome>[2]): Promise<void> {
    const { state, tools: found, neededScope } = outcome;
    if (state === this.#state && found === undefined && neededScope === undefined) return;
    this.#state = outcome.state;
    try {
      const seen = found && this.#known;
      const stored = await storeOutcome(this.#deps.db, this.#server, outcome, { seen, tellsOwners: true });
      if (stored && found) this.#known = stored.tools;
    } catch (cause) {
      this.#deps.log.warn("the state of an MCP server was not stored", {
        mcp_server: this.#server.id,
        cause,
      });
    }
  }
}

/** The failure of a server as the model is told it. */
export function sentenceOf(
  { kind, message, wasSent }: ServerFailure,
  server: string,
): { error: string; suggestion: string } {
  if (wasSent) {
    return {
      error: `The call was interrupted and its outcome is unknown. MCP server ${server}: ${message}.`,
      suggestion: "Check what it did before you call it again.",
    };
  }
  if (kind === "needs_authorization") {
    return {
      error: `The MCP server ${server} needs authorization. ${message}.`,
      suggestion:
        "Go on without it, and tell the user: its owner can connect it, allow it, or give it other credentials, under MCP servers.",
    };
  }
  return {
    error: `The MCP server ${server} could not be used. ${message}.`,
    suggestion:
      kind === "unreachable"
        ? "This may pass: try again once, or go on without it."
        : "Go on without it, or tell the user.",
  };
}
