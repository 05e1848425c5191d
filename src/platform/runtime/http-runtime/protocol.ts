import { z } from "zod";
import { STATUS, type ErrorCode } from "#src/lib/errors.ts";
import { ExpectedVersion } from "../expected-version.ts";

/**
 * The protocol of the workspace server, over HTTP. Paths of files and counts are in the query, small data is JSON,
 * contents and outputs are bodies of bytes. A failure has its code's status, `ERROR_HEADER` and a `Failure` as its
 * body; responses of the project's programs (below `/port/`) never have that header.
 */

/**
 * Port of the workspace server in a Cloudflare container, also used in sandbox/start.sh. Not a usual port of programs.
 */
export const SERVER_PORT = 21_787;
/** Port of the SDK's own server in the container, which needs no credentials: `defaultPort` of its class. */
const SDK_PORT = 3000;
/** Ports of a container that programs cannot use. A request to one of them could run commands as root. */
export const SANDBOX_PORTS: readonly number[] = [SDK_PORT, SERVER_PORT];

/** Secret on every request. It distinguishes the project's holder from other clients that reach the server's port. */
export const SECRET_HEADER = "x-workspace-secret";
/** Code of a failure of the server or of the sandbox's holder. */
export const ERROR_HEADER = "x-workspace-error";
/**
 * Entry of a file, sent with its content: URL-encoded JSON, because names may contain characters that headers cannot.
 */
export const ENTRY_HEADER = "x-workspace-entry";
/** Position of a piece of a shell's output, as JSON. */
export const OUTPUT_HEADER = "x-workspace-output";

export const Failure = z.object({
  code: z.custom<ErrorCode>((value) => typeof value === "string" && value in STATUS),
  message: z.string(),
});

const Kind = z.enum(["file", "directory", "symlink"]);

export const FileEntryWire = z.object({
  path: z.string(),
  name: z.string(),
  kind: Kind,
  size: z.number(),
  modifiedAt: z.number(),
  version: z.string().optional(),
});
export const FoundEntry = z.object({ entry: FileEntryWire.nullable() });
export const FileEntries = z.object({ entries: z.array(FileEntryWire) });

export const Move = z.object({ from: z.string(), to: z.string(), expected: ExpectedVersion.optional() });

export const Inventory = z.object({
  entries: z.array(
    z.object({
      path: z.string(),
      kind: Kind,
      size: z.number(),
      mode: z.number(),
      modifiedAt: z.number(),
      target: z.string(),
      fingerprint: z.string(),
    }),
  ),
  /** Number of entries left out because their paths are too long, without those below them. */
  tooLong: z.number().default(0),
});
export const Paths = z.object({ paths: z.array(z.string()) });
/** The kernel takes NUL-terminated strings, so a string cannot contain NUL. */
const ProgramText = z.string().refine((text) => !text.includes("\0"), "must not contain NUL");
const Environment = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), ProgramText);
const Started = { command: ProgramText, cwd: z.string(), env: Environment };

export const CommandRequest = z.object({
  id: z.uuid(),
  ...Started,
  timeoutMs: z.number().int().positive(),
});
/** Route for commands that cannot change the project: the sandbox's holder runs them, in a separate sandbox. */
export const READ_ONLY_COMMANDS = "/read-only/commands";
/** Message where such commands are impossible: programs may write wherever the workspace server may. */
export const NOT_READ_ONLY =
  "Commands cannot be made read-only in this project's environment, so none runs in plan mode: use the tools that read " +
  "and search files, and name the commands you would run";
export const ReadOnlyCommand = CommandRequest.omit({ id: true });
export const CommandResult = z.object({
  stdout: z.string(),
  stderr: z.string(),
  exitCode: z.number(),
  timedOut: z.boolean(),
});

const Columns = z.number().int().min(1).max(1000);
export const WindowSize = z.object({ columns: Columns, rows: Columns });
export const ShellRequest = z.object({ ...Started, ...WindowSize.shape });
export const ShellInput = z.object({ data: z.string() });
export const OutputHead = z.object({
  start: z.number(),
  end: z.number(),
  ended: z.boolean(),
  exitCode: z.number().nullable(),
});

export const PipeRequest = z.object({
  file: ProgramText.min(1),
  args: z.array(ProgramText),
  cwd: z.string().default(""),
  env: Environment,
});

export const ProcessRequest = z.object(Started);
export const ProcessStates = z.object({
  processes: z.array(
    z.object({
      name: z.string(),
      running: z.boolean(),
      exitCode: z.number().nullable(),
      startedAt: z.number(),
    }),
  ),
});
/** Whether the named program listens on the port. */
export const Listens = z.object({ listens: z.boolean() });
export const LogLines = z.object({ lines: z.array(z.string()) });

/** The part of a clone's input that the holder needs: see `GitOperations`. */
export const CloneInput = z.object({ term: z.number().optional() });

/** Result of a process that ran one operation or command. */
export const Outcome = z.union([
  z.object({ ok: z.literal(true), value: z.json() }),
  z.object({ ok: z.literal(false), ...Failure.shape }),
]);

/** One line of the response to a git operation: progress, and one of the others at the end. */
export const GitLine = z.union([
  z.object({ progress: z.object({ phase: z.string(), loaded: z.number(), total: z.number().nullable() }) }),
  ...Outcome.options,
]);

/** Whether programs or data depend on the running server; if not, the sandbox's holder may end it. */
export const Health = z.object({
  busy: z.boolean(),
  /** The platform ends the sandbox soon: its files must be saved now. */
  ending: z.boolean().default(false),
});

/**
 * Sent by the sandbox's holder: the processes with this mark exceeded a limit and are being killed; their output should
 * say so.
 */
export const LimitNotice = z.object({ mark: z.string(), message: z.string() });

/** Requests that end programs, which do not change files either. */
const ENDING = /^\/(commands|shells|processes)\/[^/]+$/;

/** Whether a request changes no file, so that it is allowed while the files are frozen. `path` is without its query. */
export function isRead(method: string, path: string): boolean {
  if (path.startsWith("/port/")) return false;
  if (method === "GET" || method === "HEAD") return true;
  if (method === "POST") return ["/storage/read", "/stop", "/limits"].includes(path);
  return method === "DELETE" && ENDING.test(path);
}
