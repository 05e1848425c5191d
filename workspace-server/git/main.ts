import { Console } from "node:console";
import { z } from "zod";
import { createGit, isOperation } from "#src/git/index.ts";
import type { GitOperations } from "#src/git/protocol.ts";
import { AppError, type ErrorCode } from "#src/lib/errors.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import { nodeFiles } from "./node-files.ts";
import { nodeTransport } from "./node-transport.ts";

/** Standard input: one operation, and its directory. */
const Request = z.object({
  root: z.string(),
  name: z.string().refine(isOperation, "Not a git operation"),
  /** Checked by the service, which defines these types. */
  input: z.custom<GitOperations[keyof GitOperations]["input"]>((value) => typeof value === "object"),
});

/** Least interval of progress messages, in milliseconds. */
const PROGRESS_INTERVAL_MS = 250;

type Line =
  | { progress: { phase: string; loaded: number; total: number | null } }
  | { ok: true; value: unknown }
  | { ok: false; code: ErrorCode; message: string };

/**
 * Runs the git operation from standard input over the files of this machine. Writes lines of JSON: progress, and the
 * outcome last. For `clone`, `root` is an empty directory that the caller makes the project's.
 */
export async function runGit(): Promise<void> {
  // The library writes to the console; standard output belongs to the response.
  Object.assign(console, new Console(process.stderr, process.stderr));
  write(await outcome());
}

async function outcome(): Promise<Line> {
  const stop = new AbortController();
  process.once("SIGTERM", () => stop.abort());
  let next = 0;
  const onProgress = (progress: Extract<Line, { progress: unknown }>["progress"]): void => {
    if (Date.now() < next) return;
    next = Date.now() + PROGRESS_INTERVAL_MS;
    write({ progress });
  };
  try {
    const { root, name, input } = parseJson(await readInput(), Request);
    const git = createGit({ files: await nodeFiles(root), transport: nodeTransport() });
    return { ok: true, value: await git.run(name, input, { signal: stop.signal, onProgress }) };
  } catch (error) {
    if (error instanceof AppError) {
      if (error.code === "internal") console.error(error.cause);
      return { ok: false, code: error.code, message: error.message };
    }
    console.error(error);
    return { ok: false, code: "internal", message: "Git failed" };
  }
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

function write(line: Line): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
