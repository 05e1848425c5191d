import type * as Protocol from "@modelcontextprotocol/client";
import { z } from "zod";
import { USER_AGENT } from "#src/lib/user-agent.ts";
import { authProviderOf } from "./auth-provider.ts";
import { boundedFetch, MAX_RESPONSE_BYTES, TooLarge } from "./bounded-fetch.ts";
import {
  McpFailure,
  type CallOptions,
  type ListedTools,
  type McpAnswer,
  type McpChallenge,
  type McpClient,
  type McpConnection,
  type McpNeedsInput,
  type McpProgram,
  type McpTarget,
} from "./mcp-client.ts";
import { mayBeOlder, olderTransportTo } from "./older-transport.ts";
import { programTransportTo, ProgramEnded } from "./program-transport.ts";
import { readChallenge } from "./read-challenge.ts";
import { secretsOf, withoutSecrets } from "./secrets.ts";
import { bounded, end, type Limits, type Session } from "./session.ts";
import { getTask, readTask, TASKS_EXTENSION, updateTask, type AskAbout } from "./tasks.ts";
import { TIMEOUTS, type McpTimeouts } from "./timeouts.ts";
import { transportTo } from "./transport.ts";
import { hasNoStream, isUnknownTask, toFailure, type Phase } from "./to-failure.ts";
import {
  believed,
  putAside,
  RawResult,
  readContent,
  readNeeds,
  readRefusal,
  readTools,
  taskAside,
  together,
  ToolsPage,
} from "./wire.ts";

export { TIMEOUTS, type McpTimeouts };

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
  readonly #secrets: Set<string>;
  #session: Session | undefined;
  /** Calls that need a session at the same time share one: another one would be ended by nobody. */
  #opening: Promise<Session> | undefined;
  /** Schemas by the names of tools: some of a call's arguments may have to be sent as headers, too. */
  #schemas: ReadonlyMap<string, unknown> = new Map();
  /** Why the connection broke off, where this is known better than the package says it. */
  #broken: TooLarge | ProgramEnded | undefined;
  /** Who answers questions, of each call that is open. */
  readonly #openCalls = new Set<{ onQuestion: ((params: unknown) => Promise<McpAnswer>) | undefined }>();
  /** What the last refusal said. */
  #challenge: McpChallenge | undefined;
  #isListOld = true;

  constructor(protocol: typeof Protocol, parts: Parts) {
    this.#protocol = protocol;
    this.#parts = parts;
    this.#secrets = new Set(secretsOf(parts.target.headers));
  }

  get isListOld() {
    return this.#isListOld;
  }

  async open(signal: AbortSignal | undefined): Promise<Session> {
    this.#isListOld = true;
    const { program } = this.#parts.target;
    const { connect, start } = this.#parts.timeouts;
    const limits = { signal, endsAt: Date.now() + (program ? start : connect) };
    const session = program ? await this.#openedProgram(program, limits) : await this.#openedHttp(limits);
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a client has this one listener
    session.client.onclose = () => {
      if (this.#session === session) this.#session = undefined;
    };
    return (this.#session = session);
  }

  async #openedHttp(limits: Limits): Promise<Session> {
    try {
      return await this.#opened(this.#newSession(), limits);
    } catch (error) {
      if (!(error instanceof McpFailure && mayBeOlder(error.cause))) throw error;
      return this.#openedOlder(error, limits);
    }
  }

  /** A session with a program. One that ends at a request that it does not know is started again, as one of an older revision. */
  async #openedProgram(start: () => Promise<McpProgram>, limits: Limits): Promise<Session> {
    this.#broken = undefined;
    let hasEnded = false;
    const started = async () => {
      const program = await start();
      for (const secret of program.secrets) this.#secrets.add(secret);
      return program;
    };
    const onBroken = (why: TooLarge | ProgramEnded) => {
      hasEnded ||= why instanceof ProgramEnded;
      this.#broken = why;
    };
    const session = (mode: "auto" | "legacy"): Session => ({
      client: this.#newClient(mode),
      transport: programTransportTo(this.#protocol, started, onBroken),
    });
    try {
      return await this.#opened(session("auto"), limits);
    } catch (error) {
      if (!hasEnded) throw error;
      return this.#opened(session("legacy"), limits);
    }
  }

  /** A session over the older transport. Throws the first failure where the server has none. */
  async #openedOlder(first: McpFailure, limits: Limits): Promise<Session> {
    try {
      return await this.#opened(this.#newOlderSession(), limits);
    } catch (error) {
      throw error instanceof McpFailure && hasNoStream(error) ? first : error;
    }
  }

  async #opened(session: Session, { signal, endsAt }: Limits): Promise<Session> {
    const { client, transport } = session;
    const timeout = Math.max(1, endsAt - Date.now());
    try {
      await this.#in("connect", signal, (options) =>
        bounded(this.#protocol, { timeout, signal }, () =>
          client.connect(transport, { ...options, timeout, maxTotalTimeout: timeout }),
        ),
      );
    } catch (error) {
      await end(session);
      throw error;
    }
    session.takesTasks = this.#takesTasks && client.getProtocolEra() === "modern";
    const { onmessage } = transport;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has this one listener
    transport.onmessage = (message) => {
      session.heard?.(message);
      onmessage?.(putAside(message, session.takesTasks));
    };
    return session;
  }

  async listTools({ signal }: { signal?: AbortSignal | undefined } = {}) {
    const { list, listInAll } = this.#parts.timeouts;
    const endsAt = Date.now() + listInAll;
    this.#isListOld = false;
    const pages: ListedTools[] = [];
    let chars = 0;
    let cursor: string | undefined;
    do {
      const params = cursor === undefined ? {} : { cursor };
      const timeout = Math.max(1, Math.min(list, endsAt - Date.now()));
      const page = await this.#request("list its tools", signal, ({ client }, options) =>
        client.request({ method: "tools/list", params }, ToolsPage, { ...options, timeout }),
      );
      const read = readTools(page, this.#session?.takesTasks);
      chars += JSON.stringify(read).length;
      // Each page may be as large as a response, and all together not more.
      if (chars > MAX_RESPONSE_BYTES) throw toFailure(new TooLarge(), "list its tools");
      pages.push(read);
      if (page.nextCursor === cursor) break;
      cursor = page.nextCursor;
    } while (cursor !== undefined && pages.length < MOST_PAGES);
    const listed = together(pages);
    this.#schemas = new Map(listed.tools.map(({ name, inputSchema }) => [name, inputSchema]));
    return listed;
  }

  async callTool(
    name: string,
    args: Record<string, unknown>,
    { signal, onProgress, input, onQuestion }: Parameters<McpConnection["callTool"]>[2] & object = {},
  ) {
    const { call: timeout, callInAll: maxTotalTimeout } = this.#parts.timeouts;
    const schema = Schema.safeParse(this.#schemas.get(name)).data;
    const isRefusal = input?.state === undefined && Object.keys(input?.answers ?? {}).length === 0;
    const again = !isRefusal && {
      inputResponses: input?.answers,
      ...(input?.state !== undefined && { requestState: input.state }),
    };
    // A person is asked once about a refusal.
    let refusal: McpNeedsInput | undefined;
    const orRefusal = (error: unknown) => {
      refusal = input ? undefined : readRefusal(error);
      if (!refusal) throw error;
    };
    const call = this.#request("answer the call", signal, ({ client }, options): Promise<unknown> =>
      client
        .callTool(
          { name, arguments: args, ...again },
          {
            ...options,
            allowInputRequired: true,
            timeout,
            maxTotalTimeout,
            resetTimeoutOnProgress: true,
            // Asked for in any case: notices extend the limit of silence.
            onprogress: (progress) => onProgress?.(progress),
            ...(schema && { toolDefinition: { name, inputSchema: { ...schema, type: "object" } } }),
          },
        )
        .catch(orRefusal),
    );
    const asking = { onQuestion };
    this.#openCalls.add(asking);
    const result = await call.finally(() => this.#openCalls.delete(asking));
    return (
      readTask(taskAside(result)) ?? refusal ?? readNeeds(result) ?? readContent(RawResult.parse(result))
    );
  }

  getTask(taskId: string, options: CallOptions = {}) {
    return getTask(this.#asking(options), taskId);
  }

  updateTask(taskId: string, answers: Parameters<typeof updateTask>[2], options: CallOptions = {}) {
    return updateTask(this.#asking(options), taskId, answers);
  }

  async cancelTask(taskId: string, options: CallOptions = {}) {
    await this.#asking(options)("tasks/cancel", { taskId });
  }

  #asking({ signal }: CallOptions): AskAbout {
    const { ask: timeout } = this.#parts.timeouts;
    return (method, params) =>
      this.#request("say how far the call is", signal, ({ client }, options): Promise<unknown> =>
        client.request({ method, params }, Schema, { ...options, timeout }).catch((error: unknown) => {
          if (!isUnknownTask(error)) throw error;
        }),
      );
  }

  async close(): Promise<void> {
    const session = this.#session ?? (await this.#opening?.catch(() => undefined));
    if (session) await end(session);
    this.#session = undefined;
  }

  #current(signal: AbortSignal | undefined): Promise<Session> {
    if (this.#session) return Promise.resolve(this.#session);
    return (this.#opening ??= this.open(signal).finally(() => (this.#opening = undefined)));
  }

  /** A program ends with its connection, and all that it would go on with. */
  get #takesTasks(): boolean {
    return this.#parts.target.program === undefined;
  }

  #newSession(): Session {
    const { target } = this.#parts;
    const { send } = boundedFetch(this.#heard, this.#onBroken);
    const transport = transportTo(this.#protocol, new URL(target.url), {
      ...this.#credentials(),
      fetch: send,
      reconnectionOptions: {
        initialReconnectionDelay: 500,
        maxReconnectionDelay: 5_000,
        reconnectionDelayGrowFactor: 2,
        maxRetries: 2,
      },
    });
    return { client: this.#newClient("auto"), transport, terminate: () => transport.terminateSession() };
  }

  #newOlderSession(): Session {
    const transport = olderTransportTo(this.#protocol, new URL(this.#parts.target.url), {
      ...this.#credentials(),
      fetch: this.#heard,
      onTooLarge: this.#onBroken,
    });
    return { client: this.#newClient("legacy"), transport, heard: (message) => transport.heard(message) };
  }

  /** Keeps what a refusal says. */
  readonly #heard: typeof fetch = async (input, init) => {
    const { send, target } = this.#parts;
    const answer = await (target.fetch ?? send)(input, init);
    if (answer.status === 401 || answer.status === 403)
      this.#challenge = readChallenge(this.#protocol, answer);
    return answer;
  };

  readonly #onBroken = (why: TooLarge | ProgramEnded) => void (this.#broken = why);

  #credentials() {
    const { headers, tokens } = this.#parts.target;
    return {
      requestInit: { headers: { "user-agent": USER_AGENT, ...headers } },
      ...(tokens && { authProvider: authProviderOf(tokens, (token) => void this.#secrets.add(token)) }),
    };
  }

  #newClient(mode: "auto" | "legacy"): Protocol.Client {
    const client = new this.#protocol.Client(
      { name: USER_AGENT, version: "1" },
      {
        versionNegotiation: { mode, probe: { timeoutMs: this.#parts.timeouts.connect } },
        inputRequired: { autoFulfill: false },
        capabilities: {
          elicitation: { form: {}, url: {} },
          ...(this.#takesTasks && { extensions: { [TASKS_EXTENSION]: {} } }),
        },
        jsonSchemaValidator: { getValidator: () => believed },
      },
    );
    client.setNotificationHandler("notifications/tools/list_changed", () => void (this.#isListOld = true));
    client.setRequestHandler("elicitation/create", async ({ params }) => ({
      ...(await this.#answer(params)),
    }));
    return client;
  }

  /** Of the one call that is open: a request does not say which call it belongs to. */
  async #answer(params: unknown): Promise<McpAnswer> {
    const [only, ...others] = this.#openCalls;
    if (!only?.onQuestion || others.length > 0) return { action: "decline" };
    return only.onQuestion(params);
  }

  /** Sends a request; once more in a new session, where the server has forgotten the old one and so has not read the request. */
  async #request<T>(
    phase: Phase,
    signal: AbortSignal | undefined,
    work: (session: Session, options: { signal?: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    const session = await this.#current(signal);
    try {
      return await this.#in(phase, signal, (options) => work(session, options));
    } catch (error) {
      if (!(error instanceof McpFailure && error.cause instanceof Error)) throw error;
      if (session.transport.sessionId === undefined || Reflect.get(error.cause, "status") !== 404)
        throw error;
      await session.client.close().catch(() => {});
      const renewed = await this.#current(signal);
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
      const failure = toFailure(this.#broken ?? error, phase, (text) => withoutSecrets(text, this.#secrets));
      this.#broken = undefined;
      throw this.#without(failure, this.#challenge);
    }
  }

  /** The failure without the credentials, which a server may repeat in its words; with what it said of those that it wants. */
  #without({ kind, message, wasSent, cause }: McpFailure, heard: McpChallenge | undefined): McpFailure {
    const challenge = kind === "needs_authorization" ? heard : undefined;
    return new McpFailure(kind, withoutSecrets(message, this.#secrets), { cause, wasSent, challenge });
  }
}
