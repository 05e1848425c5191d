import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import type { AgentRuntime, FileEntry } from "#src/platform/runtime/project-runtime.ts";
import { counted } from "#src/lib/counted.ts";
import { toProjectPath } from "./project-path.ts";
import { isNamedAsBinary, Pace, readContents } from "#src/domain/workspaces/files/index.ts";
import { fitting } from "./search/fit.ts";
import { compileNameGlob, namesHidden } from "#src/lib/glob-pattern.ts";
import { projectEntries } from "./search/project-entries.ts";
import { tooManyEntries } from "./search/too-many-entries.ts";
import { decodeText, TEXT_FILE_BYTES } from "./text-file.ts";
import { MODEL_FIELD_CHARS } from "./to-model-text.ts";
import { defineTool } from "./tool.ts";

const TIMEOUT_MS = 30_000;
/** Most characters of all contents together: the limit of a result for the model, minus its other fields. */
const CONTENT_CHARS = 24_000;
/** A file is skipped if fewer characters than this could be shown. */
const WORTHWHILE_CHARS = 500;
const SKIPPED_CHARS = 3_000;

const globs = (what: string) => z.array(z.string().min(1)).max(50).describe(what);

export const readManyFiles = defineTool({
  name: "read_many_files",
  description:
    "Read several text files at once: paths, directories, or globs relative to the project root such as src/**/*.ts; a " +
    "glob without a slash is matched at any depth. Shows at most some 24,000 characters in all, shared between the files; use read_file for one that was cut.",
  parameters: z.object({
    include: globs("Paths, directories or globs of the files to read").min(1),
    exclude: globs("Globs of files to leave out").default([]),
    use_default_excludes: z
      .boolean()
      .default(true)
      .describe("Leave out what .gitignore names, node_modules and the like"),
    max_bytes_per_file: z.int().min(1).max(TEXT_FILE_BYTES).default(65_536).describe("Most bytes of a file"),
    max_total_bytes: z.int().min(1).max(16_777_216).default(1_048_576).describe("Most bytes of all files"),
  }),
  effect: "read",
  scope: "file.read",
  async run(args, { runtime, signal }) {
    const pace = new Pace(signal, { timeoutMs: TIMEOUT_MS });
    let chosen: Chosen;
    try {
      chosen = await choose(runtime, args, pace);
    } catch (error) {
      if (error instanceof AppError && error.code === "too_large") return tooManyEntries("");
      throw error;
    }
    const { files, skipped, totalBytes } = await read(runtime, chosen, args);
    const shown = fitting(skipped, 200, SKIPPED_CHARS);
    const cut = files.some(({ truncated }) => truncated);
    return {
      success: true,
      message: `Read ${counted(files.length, "file")}; ${skipped.length} skipped.`,
      ...(cut && { suggestion: "Read the rest of a file marked truncated with read_file and offset." }),
      files,
      skipped: shown,
      skipped_count: skipped.length,
      total_bytes: totalBytes,
    };
  },
});

interface Skipped {
  path: string;
  reason: "not found" | "not a file" | "binary" | "too large" | "no room left";
}

interface Chosen {
  files: FileEntry[];
  skipped: Skipped[];
}

/** Returns the files to read: those named directly first, then the matches of the globs. */
async function choose(
  runtime: AgentRuntime,
  {
    include,
    exclude,
    use_default_excludes,
  }: { include: string[]; exclude: string[]; use_default_excludes: boolean },
  pace: Pace,
): Promise<Chosen> {
  const files = new Map<string, FileEntry>();
  const skipped: Skipped[] = [];
  const patterns: string[] = [];
  for (const wanted of include) {
    // Names of files may contain brackets too, so a pattern may be a name.
    const path = toProjectPath(wanted.replace(/\/+$/, ""));
    const entry = path === "" ? undefined : await runtime.stat(path);
    if (entry?.kind === "file") files.set(path, entry);
    else if (path === "") patterns.push("**");
    else if (entry?.kind === "directory") patterns.push(`${path}/**`);
    else if (entry) skipped.push({ path, reason: "not a file" });
    else if (/[*?[{]/.test(path)) patterns.push(path);
    else skipped.push({ path, reason: "not found" });
  }
  const excludes = exclude.map(compileNameGlob);
  if (patterns.length > 0) {
    const hidden = patterns.some(namesHidden);
    const matchers = patterns.map(compileNameGlob);
    const cost = patterns.concat(exclude).join("").length;
    const entries = await projectEntries(runtime, "", { hidden, excludes: use_default_excludes }, pace);
    for (const entry of entries) {
      if (pace.isDue(entry.path.length * cost)) await pace.turn();
      if (entry.kind === "file" && matchers.some((matches) => matches(entry.path)))
        files.set(entry.path, entry);
    }
  }
  const kept = [...files.values()].filter(({ path }) => !excludes.some((matches) => matches(path)));
  return { files: kept, skipped };
}

interface ReadFile {
  path: string;
  size_bytes: number;
  truncated: boolean;
  content: string;
}

async function read(
  runtime: AgentRuntime,
  { files, skipped: unknown }: Chosen,
  limits: { max_bytes_per_file: number; max_total_bytes: number },
): Promise<{ files: ReadFile[]; skipped: Skipped[]; totalBytes: number }> {
  const skipped = [...unknown];
  const readable = files.filter(({ path, name, size }) => {
    if (isNamedAsBinary(name)) skipped.push({ path, reason: "binary" });
    else if (size > TEXT_FILE_BYTES) skipped.push({ path, reason: "too large" });
    else return true;
    return false;
  });
  const found: ReadFile[] = [];
  let [chars, bytes] = [CONTENT_CHARS, limits.max_total_bytes];
  const left = new Set(readable.map(({ path }) => path));
  for await (const { path, size, bytes: content } of readContents(runtime, [...left], {
    maxBytes: TEXT_FILE_BYTES,
  })) {
    const share = Math.max(WORTHWHILE_CHARS, Math.floor(chars / left.size));
    left.delete(path);
    const head = content?.subarray(0, Math.min(limits.max_bytes_per_file, bytes));
    const text = head && decodeText(head, { isWhole: head.length === content?.length });
    if (text === undefined) {
      skipped.push({ path, reason: "binary" });
      continue;
    }
    const shown = text.slice(0, Math.min(share, MODEL_FIELD_CHARS)).toWellFormed();
    found.push({
      path,
      size_bytes: size,
      truncated: shown.length < text.length || (head?.length ?? 0) < size,
      content: shown,
    });
    chars -= shown.length;
    bytes -= Math.min(head?.length ?? 0, size);
    if (chars < WORTHWHILE_CHARS || bytes <= 0) break;
  }
  for (const path of left) skipped.push({ path, reason: "no room left" });
  return { files: found, skipped, totalBytes: limits.max_total_bytes - bytes };
}
