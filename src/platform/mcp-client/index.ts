import type * as Protocol from "@modelcontextprotocol/client";
import { z } from "zod";
import { USER_AGENT } from "#src/lib/user-agent.ts";
import { boundedFetch, type TooLarge } from "./bounded-fetch.ts";
import { McpFailure, type McpClient, type McpConnection, type McpTarget } from "./mcp-client.ts";
import { transportTo } from "./transport.ts";
import { toFailure, type Phase } from "./to-failure.ts";
import { putAside, RawResult, readContent, readTools, ToolsPage } from "./wire.ts";

/** How long each phase may take, in milliseconds. */
export interface McpTimeouts {
  /** To find out the server's revision, with the handshake of an older one. */
  connect: number;
  /** For each page of tools. */
  list: number;
  /** For all of them. */
  listInAll: number;
  /** A call that reports no progress. */
  call: number;
  /** A call that does. */
  callInAll: number;
}

export const TIMEOUTS: McpTimeouts = {
  connect: 10_000,
  list: 15_000,
  listInAll: 30_000,
  call: 120_000,
  callInAll: 200_000,
};

const Schema = z.record(z.string(), z.unknown());

/** Most pages of a list of tools. */
const MOST_PAGES = 20;

/** `send` checks every address: see `createGuardedFetch`. */
export function createMcpClient({
  fetch: send,
  timeouts = TIMEOUTS,
}: {
  fetch: typeof fetch;
  timeouts?: McpTimeouts;
}): McpClient {
  return {
    async connect(target, { signal } = {}) {
      // The package is large, and most isolates never call a server.
      const protocol = await import("@modelcontextprotocol/client");
      const connection = new Connection(protocol, { target, send, timeouts });
      await connection.open(signal);
      return connection;
    },
  };
}

interface Parts {
  target: McpTarget;
  send: typeof fetch;
  timeouts: McpTimeouts;
}

class Connection implements McpConnection {
  readonly #protocol: typeof Protocol;
  readonly #parts: Parts;
  readonly #secrets: readonly string[];
  #session: Session | undefined;
  /** Schemas by the names of tools: some of a call's arguments may have to be sent as headers, too. */
  #schemas: ReadonlyMap<string, unknown> = new Map();
  #tooLarge: TooLarge | undefined;

  constructor(protocol: typeof Protocol, parts: Parts) {
    this.#protocol = protocol;
    this.#parts = parts;
    this.#secrets = secretsOf(parts.target.headers);
  }

  async open(signal: AbortSignal | undefined): Promise<Session> {
    const session = this.#newSession();
    const { connect: timeout } = this.#parts.timeouts;
    try {
      await this.#in("connect", signal, (options) =>
        session.client.connect(session.transport, { ...options, timeout, maxTotalTimeout: timeout }),
      );
    } catch (error) {
      await end(session);
      throw error;
    }
    const { transport } = session;
    const { onmessage } = transport;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has this one listener
    transport.onmessage = (message) => onmessage?.(putAside(message));
    return (this.#session = session);
  }

  async listTools({ signal }: { signal?: AbortSignal | undefined } = {}) {
    const { list, listInAll } = this.#parts.timeouts;
    const endsAt = Date.now() + listInAll;
    const pages: ToolsPage[] = [];
    let cursor: string | undefined;
    do {
      const params = cursor === undefined ? {} : { cursor };
      const timeout = Math.max(1, Math.min(list, endsAt - Date.now()));
      const page = await this.#request("list its tools", signal, ({ client }, options) =>
        client.request({ method: "tools/list", params }, ToolsPage, { ...options, timeout }),
      );
      pages.push(page);
      if (page.nextCursor === cursor) break;
      cursor = page.nextCursor;
    } while (cursor !== undefined && pages.length < MOST_PAGES);
    const listed = readTools(pages);
    this.#schemas = new Map(listed.tools.map(({ name, inputSchema }) => [name, inputSchema]));
    return listed;
  }

  async callTool(
    name: string,
    args: Record<string, unknown>,
    { signal }: { signal?: AbortSignal | undefined } = {},
  ) {
    const { call: timeout, callInAll: maxTotalTimeout } = this.#parts.timeouts;
    const schema = Schema.safeParse(this.#schemas.get(name)).data;
    const result = await this.#request("answer the call", signal, ({ client }, options) =>
      client.callTool(
        { name, arguments: args },
        {
          ...options,
          timeout,
          maxTotalTimeout,
          resetTimeoutOnProgress: true,
          onprogress: () => {},
          ...(schema && { toolDefinition: { name, inputSchema: { ...schema, type: "object" } } }),
        },
      ),
    );
    return readContent(RawResult.parse(result));
  }

  async close(): Promise<void> {
    if (this.#session) await end(this.#session);
    this.#session = undefined;
  }

  #newSession(): Session {
    const { target, send, timeouts } = this.#parts;
    const transport = transportTo(this.#protocol, new URL(target.url), {
      requestInit: { headers: { "user-agent": USER_AGENT, ...target.headers } },
      fetch: boundedFetch(send, (error) => (this.#tooLarge = error)),
      reconnectionOptions: {
        initialReconnectionDelay: 500,
        maxReconnectionDelay: 5_000,
        reconnectionDelayGrowFactor: 2,
        maxRetries: 2,
      },
    });
    const client = new this.#protocol.Client(
      { name: USER_AGENT, version: "1" },
      {
        versionNegotiation: { mode: "auto", probe: { timeoutMs: timeouts.connect } },
        inputRequired: { autoFulfill: false },
        // Results are shown to a model, which needs no promise about their form. Compiling foreign patterns costs time.
        jsonSchemaValidator: {
          getValidator: () => (value) => ({ valid: true, data: asAny(value), errorMessage: undefined }),
        },
      },
    );
    return { client, transport };
  }

  /** Sends a request; once more in a new session, where the server has forgotten the old one and so has not read the request. */
  async #request<T>(
    phase: Phase,
    signal: AbortSignal | undefined,
    work: (session: Session, options: { signal?: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    const session = this.#session ?? (await this.open(signal));
    try {
      return await this.#in(phase, signal, (options) => work(session, options));
    } catch (error) {
      if (!(error instanceof McpFailure && error.cause instanceof Error)) throw error;
      if (session.transport.sessionId === undefined || Reflect.get(error.cause, "status") !== 404)
        throw error;
      await session.client.close().catch(() => {});
      const renewed = await this.open(signal);
      return this.#in(phase, signal, (options) => work(renewed, options));
    }
  }

  async #in<T>(
    phase: Phase,
    signal: AbortSignal | undefined,
    work: (options: { signal?: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    try {
      return await work(signal ? { signal } : {});
    } catch (error) {
      signal?.throwIfAborted();
      const failure = toFailure(this.#tooLarge ?? error, phase);
      this.#tooLarge = undefined;
      throw this.#without(failure);
    }
  }

  /** The failure without the credentials, which a server may repeat in its words. */
  #without(failure: McpFailure): McpFailure {
    const { kind, wasSent, cause } = failure;
    const sentence = this.#secrets.reduce((text, secret) => text.replaceAll(secret, "***"), failure.message);
    return sentence === failure.message ? failure : new McpFailure(kind, sentence, { cause, wasSent });
  }
}

interface Session {
  client: Protocol.Client;
  transport: Protocol.StreamableHTTPClientTransport;
}

/** Ends a session, if the server keeps one. */
async function end({ client, transport }: Session): Promise<void> {
  // A server without sessions answers 405, and one that is gone nothing.
  await Promise.race([transport.terminateSession().catch(() => {}), pause(CLOSE_MS)]);
  await client.close().catch(() => {});
}

const CLOSE_MS = 1_000;

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** The values of headers, and each without its scheme. */
function secretsOf(headers: McpTarget["headers"]): string[] {
  return Object.values(headers)
    .flatMap((value) => [value, value.replace(/^\S+ +/u, "")])
    .filter((value) => value.length >= 4);
}

// oxlint-disable-next-line typescript/no-explicit-any, typescript/no-unsafe-type-assertion -- the package's own type of a result that is valid
const asAny = (value: unknown) => value as any;
