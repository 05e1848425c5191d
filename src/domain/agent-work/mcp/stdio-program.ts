import { projectVariables } from "#src/domain/workspaces/containers/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { McpProgram } from "#src/platform/mcp-client/mcp-client.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { McpServer } from "./queries.ts";
import { filler, namesIn, type Values } from "./references.ts";
import { readStdioFile, STDIO_FILE, textsOf, type StdioEntry, type StdioFileDeps } from "./stdio-file.ts";

export interface StartDeps extends StdioFileDeps {
  db: Db;
  secrets: Pick<Secrets, "decrypt">;
}

/** What a program is started with: an entry whose references are filled in. */
export type StartedProgram = Pick<StdioEntry, "command" | "args" | "env" | "cwd">;

/** The address that stands for a stdio server: the hash of the entry that somebody has allowed. */
export const stdioUrl = (hash: string) => `stdio:${hash}`;

export const isStdio = ({ url }: Pick<McpServer, "url">) => url.startsWith("stdio:");

/** Begins a sentence about a runtime without programs. */
export const NO_PROGRAMS = "No programs run in projects here";

/**
 * Starts a stdio server in its project, if the file still says of it what was allowed. `onStart` is told with what, before that.
 * Throws what the client makes a sentence of.
 */
export async function startAllowed(
  deps: StartDeps,
  projectId: string,
  { name, url }: Pick<McpServer, "name" | "url">,
  onStart: (program: StartedProgram) => void = () => {},
): Promise<McpProgram> {
  const runtime = deps.workspaces.runtime(projectId);
  if (!runtime.runsProcesses) throw new AppError("unavailable", `${NO_PROGRAMS}, so it is not started`);
  try {
    const { entries } = await readStdioFile(deps, projectId);
    const entry = entries.find((each) => each.name === name);
    if (!entry) throw new AppError("forbidden", `The project's ${STDIO_FILE} names it no longer`);
    if (stdioUrl(entry.hash) !== url) {
      throw new AppError(
        "forbidden",
        `The project's ${STDIO_FILE} says something else of it since it was allowed: somebody has to allow it again`,
      );
    }
    const program = await filledIn(deps, projectId, { runtime, entry });
    onStart(program);
    const id = crypto.randomUUID();
    const { command: file, args, env, cwd } = program;
    const output = await runtime.openPipe(id, { file, args, cwd, env });
    return { output, write: (line) => runtime.writePipe(id, line), secrets: secretsIn(program) };
  } catch (cause) {
    if (!(cause instanceof AppError) || SAID.has(cause.code)) throw cause;
    const sentence = cause.code === "asleep" ? "The project is asleep: start it" : cause.message;
    throw new AppError("unavailable", sentence, { cause });
  }
}

/** Codes of sentences that stay what they are: to allow it again, or to change the file. */
const SAID: ReadonlySet<string> = new Set(["forbidden", "invalid_input"]);

async function filledIn(
  deps: StartDeps,
  projectId: string,
  { runtime, entry }: { runtime: Pick<ProjectRuntime, "exec">; entry: StdioEntry },
): Promise<StartedProgram> {
  const names = namesIn(textsOf(entry));
  const fill = filler(names.length === 0 ? new Map() : await valuesOf(deps, projectId, runtime, names));
  const { command, args, env, cwd } = entry;
  return {
    command: fill(command),
    args: args.map(fill),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)])),
    cwd,
  };
}

/** How long a project may take to say what its commands have for an environment. */
const ENVIRONMENT_MS = 10_000;

/** The variables of the project's containers and, where those have not all, of its commands. */
async function valuesOf(
  deps: StartDeps,
  projectId: string,
  runtime: Pick<ProjectRuntime, "exec">,
  names: readonly string[],
): Promise<Values> {
  const ofContainers = await projectVariables(deps, projectId);
  if (names.every((name) => ofContainers.has(name))) return ofContainers;
  const { stdout } = await runtime.exec("env -0", { timeoutMs: ENVIRONMENT_MS });
  const ofCommands = stdout.split("\0").map((line): [string, string] => {
    const at = line.indexOf("=");
    return [line.slice(0, at), line.slice(at + 1)];
  });
  return new Map<string, string | null>([...ofCommands, ...ofContainers]);
}

/** Shortest text that is taken for a secret. */
const SECRET_CHARS = 8;

/** What no sentence about a program repeats: its variables, and arguments that are no path, package or short word. */
function secretsIn({ args, env }: Pick<StartedProgram, "args" | "env">): string[] {
  const texts = args.flatMap((arg) => (/^[\w./@-]{1,100}$/u.test(arg) && /[./@]|^-/u.test(arg) ? [] : [arg]));
  const values = texts.flatMap((text) => [text, text.replace(/^[^=]*=/u, "")]);
  return [...Object.values(env), ...values].filter((value) => value.length >= SECRET_CHARS);
}
