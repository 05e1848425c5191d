import { text } from "node:stream/consumers";
import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import { ReadOnlyCommand, type Outcome } from "#src/platform/runtime/http-runtime/protocol.ts";
import { ProjectFiles } from "../files/project-files.ts";
import { ProjectPaths } from "../files/project-paths.ts";
import { Commands } from "./commands.ts";
import { Programs } from "./programs.ts";

/** Standard input: a command, and the project's directory. */
const Request = ReadOnlyCommand.extend({ root: z.string() });

/** Runs the command from standard input and writes its `Outcome`. The sandbox ends with this process. */
export async function runOneCommand(): Promise<void> {
  process.stdout.write(`${JSON.stringify(await outcome())}\n`);
}

async function outcome(): Promise<z.infer<typeof Outcome>> {
  try {
    const { root, cwd, ...spec } = parseJson(await text(process.stdin), Request);
    const directory = new ProjectFiles(new ProjectPaths(root)).directory(cwd);
    const commands = new Commands(root, new Programs());
    const { result } = await commands.start("command", { ...spec, cwd: directory });
    return { ok: true, value: { ...(await result) } };
  } catch (error) {
    if (error instanceof AppError) return { ok: false, code: error.code, message: error.message };
    process.stderr.write(`${String(error)}\n`);
    return { ok: false, code: "internal", message: "The command could not be run" };
  }
}
