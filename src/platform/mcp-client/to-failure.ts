import { AppError } from "#src/lib/errors.ts";
import { oneLine } from "#src/lib/one-line.ts";
import { withoutWords } from "#src/lib/without-words.ts";
import { TooLarge } from "./bounded-fetch.ts";
import { McpFailure } from "./mcp-client.ts";
import { ProgramEnded } from "./program-transport.ts";
import { LOST } from "./transport.ts";

/** Most characters of a server's own words in a sentence. */
const QUOTED_CHARS = 300;

/** What a phase of a connection is called in a sentence. */
export type Phase = "connect" | "list its tools" | "answer the call" | "say how far the call is";

const INVALID_PARAMS = -32_602;

/** Whether a server says that it does not know the task that it was asked about. */
export function isUnknownTask(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, "code") === INVALID_PARAMS;
}

/** The parts of the official package's errors that are read. */
interface Told {
  status: number | undefined;
  code: string | number | undefined;
}

function told(error: Error): Told {
  const status: unknown = Reflect.get(error, "status");
  const code: unknown = Reflect.get(error, "code");
  return {
    status: typeof status === "number" ? status : statusOfStream(error),
    code: typeof code === "string" || typeof code === "number" ? code : undefined,
  };
}

/** The status with which the stream of the older transport was refused. */
function statusOfStream(error: Error): number | undefined {
  const code: unknown = Reflect.get(error, "code");
  return error.message.startsWith("SSE error") && typeof code === "number" ? code : undefined;
}

/** Whether a server has no stream of the older transport either: the code of such a failure is the status of the answer. */
export function hasNoStream({ kind, cause }: McpFailure): boolean {
  const code: unknown = cause instanceof Error ? Reflect.get(cause, "code") : undefined;
  return kind === "error" && typeof code === "number" && code >= 100;
}

/**
 * The failure that an error of the official package, of a request or of a stream stands for. `mark` replaces secrets in a text, before
 * it is cut.
 */
export function toFailure(
  error: unknown,
  phase: Phase,
  mark: (text: string) => string = (text) => text,
): McpFailure {
  const quoted = (text: string) => oneLine(mark(text)).slice(0, QUOTED_CHARS);
  const wasSent = phase === "answer the call";
  const cause = withoutWords(error);
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof McpFailure) return each;
    if (each instanceof TooLarge)
      return new McpFailure("error", `${each.message}, the most that is read`, { cause, wasSent });
    if (each instanceof ProgramEnded) return new McpFailure("unreachable", each.message, { cause, wasSent });
    if (each instanceof AppError && each.code === "forbidden") {
      return new McpFailure("needs_authorization", each.message, { cause });
    }
    if (each instanceof AppError && each.code === "invalid_input") {
      return new McpFailure("error", each.message, { cause });
    }
    if (each instanceof AppError && PASSING.has(each.code)) {
      return new McpFailure("unreachable", each.message, { cause, wasSent });
    }
    const { status, code } = told(each);
    if (each.name === "InsufficientScopeError") {
      return new McpFailure("needs_authorization", "The server wants more permissions than it was given", {
        cause,
      });
    }
    if (status === 401 || status === 403 || each.name === "UnauthorizedError") {
      const word = status === 403 ? "does not allow this to its credentials" : "needs other credentials";
      return new McpFailure("needs_authorization", `The server ${word} (HTTP ${status ?? 401})`, {
        cause,
      });
    }
    const redirect = status === undefined ? undefined : /Redirect .*/u.exec(each.message)?.[0];
    if (redirect !== undefined) return new McpFailure("error", quoted(redirect), { cause });
    if (status !== undefined) return ofStatus(status, cause, wasSent);
    if (code === "REQUEST_TIMEOUT") {
      return new McpFailure("unreachable", `The server did not ${phase} in time`, { cause, wasSent });
    }
    if (each.message.startsWith("Endpoint origin does not match")) {
      return new McpFailure("error", "The server wants messages at another origin than its own", {
        cause,
      });
    }
    if (each.message.includes(LOST) || code === "CONNECTION_CLOSED") {
      return new McpFailure("unreachable", "The server broke off the connection", { cause, wasSent });
    }
    if (typeof code === "number") {
      return new McpFailure("error", `The server refused: ${quoted(each.message)} (${code})`, {
        cause,
      });
    }
    if (code === "ERA_NEGOTIATION_FAILED" && each.cause === undefined) {
      return new McpFailure("unreachable", `The server could not be reached`, { cause });
    }
    if (code === "INPUT_REQUIRED_ROUNDS_EXCEEDED") {
      return new McpFailure("error", "The server asks a person for more, which is not supported", {
        cause,
      });
    }
    if (typeof code === "string" && UNDERSTOOD.has(code)) {
      return new McpFailure("error", `The server answered something that is not MCP`, {
        cause,
        wasSent,
      });
    }
  }
  return new McpFailure("unreachable", "The server could not be reached", { cause, wasSent });
}

/** Codes of a project's runtime for what is not there now. */
const PASSING: ReadonlySet<string> = new Set(["unavailable", "asleep", "conflict"]);

/** Codes of answers that the package could not read. */
const UNDERSTOOD: ReadonlySet<string> = new Set([
  "INVALID_RESULT",
  "UNSUPPORTED_RESULT_TYPE",
  "CLIENT_HTTP_UNEXPECTED_CONTENT",
  "LIST_PAGINATION_EXCEEDED",
  "CAPABILITY_NOT_SUPPORTED",
]);

function ofStatus(status: number, cause: unknown, wasSent: boolean): McpFailure {
  const isPassing = status >= 500 || status === 429 || status === 408;
  return new McpFailure(isPassing ? "unreachable" : "error", `The server answered with HTTP ${status}`, {
    cause,
    wasSent: wasSent && status >= 500,
  });
}
