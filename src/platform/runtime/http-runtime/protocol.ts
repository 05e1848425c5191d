import { z } from "zod";
import { STATUS, type ErrorCode } from "#src/lib/errors.ts";

/**
 * What is said to the workspace server, over HTTP. Paths of files and counts are in the query, small things are JSON,
 * contents and outputs are bodies of bytes. A failure has its code's status, `ERROR_HEADER` and a `Failure` as its body;
 * what a program of the project answers (below `/port/`) never has that header.
 */

/** Where the workspace server of a Cloudflare container listens; sandbox/start.sh has it too. No program's usual port. */
export const SERVER_PORT = 21_787;
/** Where the SDK's own server listens there, without credentials: `defaultPort` of its class. */
const SDK_PORT = 3000;
/** Ports of such a container that are not its programs'. What reaches one of them could run commands as root. */
export const SANDBOX_PORTS: readonly number[] = [SDK_PORT, SERVER_PORT];

/** On every request: what tells who holds the project from everyone else who reaches the server's port. */
export const SECRET_HEADER = "x-workspace-secret";
/** On every failure of the server or of who holds the sandbox: its code. */
export const ERROR_HEADER = "x-workspace-error";
/** On a file's content: its entry, as URL-encoded JSON, since names are not limited to what headers carry. */
export const ENTRY_HEADER = "x-workspace-entry";
/** On a piece of a shell's output: where it is from, as JSON. */
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
});
export const FoundEntry = z.object({ entry: FileEntryWire.nullable() });
export const FileEntries = z.object({ entries: z.array(FileEntryWire) });

export const Move = z.object({ from: z.string(), to: z.string() });

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
  /** How many are left out for the length of their paths, without those below them. */
  tooLong: z.number().default(0),
});
export const Paths = z.object({ paths: z.array(z.string()) });
/** The kernel takes strings that end with NUL, so none can hold one. */
const ProgramText = z.string().refine((text) => !text.includes("\0"), "must not contain NUL");
const Environment = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), ProgramText);
const Started = { command: ProgramText, cwd: z.string(), env: Environment };

export const CommandRequest = z.object({
  id: z.uuid(),
  ...Started,
  timeoutMs: z.number().int().positive(),
});
/** A command that can change nothing of the project: who holds the sandbox runs it, in a sandbox of its own. */
export const READ_ONLY_COMMANDS = "/read-only/commands";
/** Where nobody can run one: programs may write wherever the workspace server may. */
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
/** Whether the program of a name listens on the port that was asked for. */
export const Listens = z.object({ listens: z.boolean() });
export const LogLines = z.object({ lines: z.array(z.string()) });

/** What matters of a clone's input to who puts it in place: see `GitOperations`. */
export const CloneInput = z.object({ term: z.number().optional() });

/** What a process that ran one operation or command says at its end. */
export const Outcome = z.union([
  z.object({ ok: z.literal(true), value: z.json() }),
  z.object({ ok: z.literal(false), ...Failure.shape }),
]);

/** One line of the answer to a git operation: progress, and one of the others at the end. */
export const GitLine = z.union([
  z.object({ progress: z.object({ phase: z.string(), loaded: z.number(), total: z.number().nullable() }) }),
  ...Outcome.options,
]);

/** Whether anything runs or is kept that ends with the server: who holds the sandbox may end it otherwise. */
export const Health = z.object({ busy: z.boolean() });

/** From who holds the sandbox: what carries this mark is over a limit and is being killed, and its output should say so. */
export const LimitNotice = z.object({ mark: z.string(), message: z.string() });

/** Requests that end programs, which changes no file either. */
const ENDING = /^\/(commands|shells|processes)\/[^/]+$/;

/** Whether a request changes no file, so that it may pass while the files are frozen. `path` is without its query. */
export function isRead(method: string, path: string): boolean {
  if (path.startsWith("/port/")) return false;
  if (method === "GET" || method === "HEAD") return true;
  if (method === "POST") return ["/storage/read", "/stop", "/limits"].includes(path);
  return method === "DELETE" && ENDING.test(path);
}
