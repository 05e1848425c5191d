/** Where an MCP server is, and what every request to it carries. */
export interface McpTarget {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Tokens that change; undefined where the headers have all credentials. */
  tokens?: McpTokens | undefined;
  /** The way to a server to which no address leads; the client's own where it is absent. It checks every address. */
  fetch?: typeof fetch;
  /** Starts the server, which is a program that speaks by lines; nothing is sent to `url` then. Throws `AppError`s. */
  program?: () => Promise<McpProgram>;
}

/** A program that runs for one connection. */
export interface McpProgram {
  /** As of `ProjectPipes`: the program ends once this is cancelled. */
  output: ReadableStream<Uint8Array>;
  write(line: string): Promise<void>;
  /** What no sentence about it may repeat. */
  secrets: readonly string[];
}

/** A token, or why there is none. */
export type McpToken = { token: string } | { kind: McpFailureKind; sentence: string };

/** The tokens of a server. */
export interface McpTokens {
  /** For the next request. */
  current(): Promise<McpToken>;
  /** After the server has refused one with 401: another one. Asked for once for each request. */
  instead(refused: string): Promise<McpToken>;
}

/** What a server says with a refusal about the authorization that it wants. Foreign text. */
export interface McpChallenge {
  /** Address of its metadata (RFC 9728). */
  resourceMetadata?: string | undefined;
  scope?: string | undefined;
  /** Whether it wants more scopes than the token has. */
  isForScope: boolean;
}

/** A tool as its server describes it. Everything here is foreign text of any size. */
export interface ListedTool {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema?: unknown;
}

export interface ListedTools {
  tools: ListedTool[];
  /** Tools that the protocol tells clients to leave out, or that need what this one has not, and why. */
  refused: { name: string; problem: string }[];
  /** Entries that are no tools: without a name, or not even an object. */
  malformed: number;
}

/** A part of a result; parts of an unknown kind are named `other`. */
export type McpContent =
  | { type: "text"; text: string }
  | { type: "image" | "audio"; data: string; mimeType: string }
  | { type: "link"; uri: string; name: string; description: string }
  | { type: "resource"; uri: string; mimeType: string; text: string }
  | { type: "blob"; uri: string; mimeType: string; blob: string }
  | { type: "other"; kind: string };

export interface McpResult {
  content: McpContent[];
  /** Undefined without structured content. */
  structured: unknown;
  isError: boolean;
}

export type McpFailureKind =
  /** The server wants other credentials, or any. */
  | "needs_authorization"
  /** Nothing answered, or not in time. */
  | "unreachable"
  /** The server answered something else than the protocol says, or refused. */
  | "error";

/** Why a server could not be used, as one sentence without secrets. */
export class McpFailure extends Error {
  override name = "McpFailure";
  readonly kind: McpFailureKind;
  /** Whether the request may have reached the server, so that its outcome is unknown. */
  readonly wasSent: boolean;
  /** Of `needs_authorization`, where the server said it. */
  readonly challenge: McpChallenge | undefined;

  constructor(
    kind: McpFailureKind,
    sentence: string,
    {
      cause,
      wasSent = false,
      challenge,
    }: { cause?: unknown; wasSent?: boolean; challenge?: McpChallenge | undefined } = {},
  ) {
    super(sentence, { cause });
    this.kind = kind;
    this.wasSent = wasSent;
    this.challenge = challenge;
  }
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** How far a call is, as its server says. Foreign numbers and text of any size. */
export interface McpProgress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

/** What a server needs of a person before it goes on with a call (2026-07-28). */
export interface McpNeedsInput {
  /** Foreign requests of any method and form. */
  asks: { key: string; method: string; params: unknown }[];
  /** Returned to the server unchanged; undefined if it gave none. */
  state: string | undefined;
  /** Whether a server of 2025-11-25 refused the call until a person has opened addresses (-32042). No answers are sent to it. */
  isRefusal?: boolean;
}

/**
 * A call that its server goes on with by itself, as a task of the protocol, and is asked about later. Foreign text and numbers.
 */
export interface McpTask {
  /** The server's id of it. Who knows it may be able to read the result. */
  taskId: string;
  /** What the server says of it. */
  message: string | undefined;
  /** How long the server keeps it, from its beginning; undefined if it names no end. */
  ttlMs: number | undefined;
  /** How much later the server wants to be asked again. */
  pollMs: number | undefined;
}

/** What has become of such a call. */
export type McpTaskState =
  /** `asks` are requests that the server waits for, of any method and form; it repeats those that it has not heard an answer to. */
  | ({ kind: "working"; asks: McpNeedsInput["asks"] } & Omit<McpTask, "taskId">)
  | { kind: "completed"; result: McpResult }
  /** `failed` is an error of the protocol. A tool that failed has completed, with a result that says so. */
  | { kind: "failed" | "cancelled"; message: string | undefined }
  /** The server does not know it, or no longer. */
  | { kind: "unknown" };

/** A person's answer to a question of a server. */
export interface McpAnswer {
  action: "accept" | "decline" | "cancel";
  content?: Record<string, string | number | boolean | string[]>;
}

/** The answers with which a call is made again. */
export interface McpInput {
  /** By the keys of `McpNeedsInput.asks`; none after a refusal. */
  answers: Readonly<Record<string, McpAnswer>>;
  state: string | undefined;
}

interface ToolCallOptions extends CallOptions {
  /** Of a call that is made again, because its server needed them. */
  input?: McpInput | undefined;
  /**
   * Answers a question that a server of an older revision asks in the middle of the call, which goes on meanwhile. `params` is foreign.
   * Without it, and where several calls are open, such questions are declined.
   */
  onQuestion?: ((params: unknown) => Promise<McpAnswer>) | undefined;
  /** Called for each notice of the server, as often as it sends them. */
  onProgress?: ((progress: McpProgress) => void) | undefined;
}

/** An open connection. Every method throws `McpFailure`, or the signal's reason once it aborts. */
export interface McpConnection {
  /** Whether the tools were not listed in this session yet, or the server has said since that they are others. */
  readonly isListOld: boolean;
  /** All pages, at most `MOST_PAGES`. */
  listTools(options?: CallOptions): Promise<ListedTools>;
  callTool(
    name: string,
    args: Record<string, unknown>,
    options?: ToolCallOptions,
  ): Promise<McpResult | McpNeedsInput | McpTask>;
  /** What has become of a call that the server goes on with. */
  getTask(taskId: string, options?: CallOptions): Promise<McpTaskState>;
  /** Answers what such a call asks. Returns whether the server knows it. Repeated answers change nothing at a server. */
  updateTask(
    taskId: string,
    answers: Readonly<Record<string, McpAnswer>>,
    options?: CallOptions,
  ): Promise<boolean>;
  /** Tells the server that its client no longer waits for such a call. It may go on nevertheless. */
  cancelTask(taskId: string, options?: CallOptions): Promise<void>;
  /** Ends the session, if the server keeps one. Throws nothing. */
  close(): Promise<void>;
}

/** Connects to MCP servers over streamable HTTP, of the revision 2026-07-28 and of older ones, HTTP+SSE of 2024-11-05, or stdio. */
export interface McpClient {
  connect(target: McpTarget, options?: CallOptions): Promise<McpConnection>;
}
