import type { CommandRunner } from "#src/platform/command-runner/command-runner.ts";
import type { ExecResult } from "#src/platform/runtime/project-commands.ts";
import { boundOutput } from "#src/shell/bound-output.ts";
import { FileCalls, ReadOnlyError } from "./file-calls.ts";
import { FileError } from "./file-error.ts";
import { absoluteOf } from "./paths.ts";
import type { ProjectFiles } from "./project-files.ts";
import type { CommandOptions } from "./protocol.ts";

const EXIT_TIMED_OUT = 124;
const EXIT_CANCELLED = 130;
/** Exit code and sentence of a command that was killed for its memory. */
export const OUT_OF_MEMORY = {
  exitCode: 137,
  sentence: "The command was ended: it needed too much memory\n",
} as const;

/** The command's project, its files, and the runner. */
export interface CommandSurroundings {
  project: string;
  files: ProjectFiles;
  runner: CommandRunner;
}

const ENDED = {
  timeout: { exitCode: EXIT_TIMED_OUT, sentence: "" },
  cancelled: { exitCode: EXIT_CANCELLED, sentence: "" },
  memory: OUT_OF_MEMORY,
} as const;
const NEVER_BEGAN = "The command did not begin: others were running for as long as it could wait\n";

/** Runs one command in a separate shell over the project's files; `cancelled` ends it early. */
export async function runCommand(
  { project, files, runner }: CommandSurroundings,
  command: string,
  { cwd, env, timeoutMs, readOnly }: CommandOptions,
  cancelled: AbortSignal,
): Promise<ExecResult> {
  runner.check();
  if (files.tree.find(cwd, { follow: true })?.kind !== "directory") throw new FileError("ENOENT", cwd);
  const calls = new FileCalls(files, { readOnly });
  const { value: result } = await runner.run(
    { value: { kind: "command", command, cwd: absoluteOf(cwd), env, timeoutMs } },
    { project, callFiles: calls.call, cancelled, timeoutMs },
  );
  if (result.kind === "command") {
    const { stdout, stderr, exitCode, timedOut } = result;
    return { stdout: boundOutput(stdout), stderr: boundOutput(stderr), exitCode, timedOut };
  }
  if (result.kind === "ended") {
    const { exitCode, sentence } = ENDED[result.why];
    const stderr = result.waited && result.why === "timeout" ? NEVER_BEGAN : sentence;
    return { stdout: "", stderr, exitCode, timedOut: result.why === "timeout" };
  }
  const cause = calls.causeOf(result);
  if (cause instanceof ReadOnlyError) {
    // A failed redirection ends just-bash itself, whereas its commands report the failure and continue.
    const stderr = `bash: ${cause.message}; the command ended here\n`;
    return { stdout: "", stderr, exitCode: 1, timedOut: false };
  }
  throw cause;
}
