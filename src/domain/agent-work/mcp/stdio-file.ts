import { z } from "zod";
import { keyedHash } from "#src/lib/keyed-hash.ts";
import { oneLine } from "#src/lib/one-line.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { readAtMost } from "#src/lib/read-at-most.ts";
import { normalizeDirectory } from "#src/lib/project-path.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import { withoutReferences } from "./references.ts";
import { SERVER_NAME } from "./server-name.ts";

/** The file of a project that names its stdio servers, as other agents read it. */
export const STDIO_FILE = ".mcp.json";
/** Most bytes of it. */
const MAX_FILE_BYTES = 256 * 1024;
/** Most entries that are read, in the order of the file. */
const MOST_ENTRIES = 50;

const File = z.object({ mcpServers: z.record(z.string(), z.unknown()) });
const Text = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => !text.includes("\0"));
const StdioEntry = z.object({
  command: Text(4_000).min(1),
  args: z.array(Text(8_000)).max(100).default([]),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,199}$/u), Text(8_000)).default({}),
  /** A directory of the project; empty for its root. */
  cwd: Text(1_000)
    .optional()
    .transform((path, context) => {
      try {
        return normalizeDirectory(path);
      } catch {
        context.addIssue("a path that leads out of the project");
        return z.NEVER;
      }
    }),
});
type Entry = z.output<typeof StdioEntry>;
const Remote = z.union([z.object({ url: z.unknown() }), z.object({ type: z.enum(["http", "sse"]) })]);

export interface StdioFileDeps {
  workspaces: Pick<ProjectWorkspaces, "runtime">;
  config: { SECRET_KEY: string };
}

/** A stdio server as the file names it. */
export interface StdioEntry extends Entry {
  name: string;
  /** Of all that it says, as it is written, in this project. With a key, because variables may be secrets that can be guessed. */
  hash: string;
}

export interface StdioFile {
  entries: StdioEntry[];
  /** What is wrong with the file, or left out of it, in sentences. */
  notes: string[];
}

/** Reads a project's stdio servers; none where there is no file. What is malformed is a note. Throws the runtime's errors. */
export async function readStdioFile(deps: StdioFileDeps, projectId: string): Promise<StdioFile> {
  const found = await deps.workspaces.runtime(projectId).readStream(STDIO_FILE);
  if (!found) return { entries: [], notes: [] };
  const bytes = await readAtMost(found.body, MAX_FILE_BYTES);
  if (!bytes) return { entries: [], notes: [`${STDIO_FILE} is larger than ${MAX_FILE_BYTES / 1024} KiB`] };
  const { SECRET_KEY } = deps.config;
  return parseStdioFile(new TextDecoder().decode(bytes), (entry) =>
    keyedHash(SECRET_KEY, "stdio server", JSON.stringify([projectId, ...partsOf(entry)])),
  );
}

function parseStdioFile(text: string, hashOf: (entry: Entry) => string): StdioFile {
  const parsed = safeParseJson(text, File);
  if (!parsed) return { entries: [], notes: [`${STDIO_FILE} is not JSON with an object "mcpServers"`] };
  const all = Object.entries(parsed.value.mcpServers);
  const file: StdioFile = { entries: [], notes: [] };
  for (const [name, value] of all.slice(0, MOST_ENTRIES)) {
    const shown = `"${oneLine(name).slice(0, 64)}"`;
    const entry = StdioEntry.safeParse(value).data;
    if (!entry) file.notes.push(problemOf(shown, value));
    else if (name.length > 32 || !SERVER_NAME.test(name)) {
      file.notes.push(`${shown} is left out: its name must be lower-case letters, digits, - and single _`);
    } else {
      if (textsOf(entry).some((each) => withoutReferences(each).includes("${"))) {
        file.notes.push(
          `${shown} has a \${…} that is neither \${NAME} nor \${NAME:-default}: it is given to the program as it is written`,
        );
      }
      file.entries.push({ name, ...entry, hash: hashOf(entry) });
    }
  }
  if (all.length > MOST_ENTRIES) file.notes.push(`Only the first ${MOST_ENTRIES} entries are read`);
  return file;
}

/** The texts of an entry in which `${…}` stands for a variable. */
export function textsOf({ command, args, env }: Pick<StdioEntry, "command" | "args" | "env">): string[] {
  return [command, ...args, ...Object.values(env)];
}

function problemOf(shown: string, value: unknown): string {
  if (Remote.safeParse(value).success) {
    return `${shown} is left out: it is not a program. Add it as a server with its address`;
  }
  const isElsewhere = StdioEntry.omit({ cwd: true }).safeParse(value).success;
  return isElsewhere
    ? `${shown} is left out: its "cwd" must be a directory of the project, as a path from its root`
    : `${shown} is left out: it must have a "command", and may have "args" and "env", which are texts`;
}

function partsOf({ command, args, env, cwd }: Entry): unknown[] {
  const variables = Object.entries(env).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [command, args, variables, cwd];
}
