/** Where an MCP server is, and what every request to it carries. */
export interface McpTarget {
  url: string;
  headers: Readonly<Record<string, string>>;
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

  constructor(
    kind: McpFailureKind,
    sentence: string,
    { cause, wasSent = false }: { cause?: unknown; wasSent?: boolean } = {},
  ) {
    super(sentence, { cause });
    this.kind = kind;
    this.wasSent = wasSent;
  }
}

interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** An open connection. Every method throws `McpFailure`, or the signal's reason once it aborts. */
export interface McpConnection {
  /** All pages, at most `MOST_PAGES`. */
  listTools(options?: CallOptions): Promise<ListedTools>;
  callTool(name: string, args: Record<string, unknown>, options?: CallOptions): Promise<McpResult>;
  /** Ends the session, if the server keeps one. Throws nothing. */
  close(): Promise<void>;
}

/** Connects to MCP servers over streamable HTTP, of the revision 2026-07-28 and of older ones. */
export interface McpClient {
  connect(target: McpTarget, options?: CallOptions): Promise<McpConnection>;
}
