import { boundOutput } from "./bound-output.ts";
import { FileError } from "./file-error.ts";
import type { ProjectFiles } from "./project-files.ts";
import { createShell } from "./shell.ts";

const EXIT_TIMED_OUT = 124;
const EXIT_CANCELLED = 130;

export interface CommandOptions {
  cwd: string;
  env: Readonly<Record<string, string>>;
  timeoutMs: number;
  /** Ends the command early. */
  cancelled: AbortSignal;
}

export interface CommandResult {
  stdout: string;
  stderr: string;
  exitCode: number;
  timedOut: boolean;
}

/** Run one command in a shell of its own over the project's files. */
export async function runCommand(
  files: ProjectFiles,
  command: string,
  { cwd, env, timeoutMs, cancelled }: CommandOptions,
): Promise<CommandResult> {
  if (files.tree.find(cwd, { follow: true })?.kind !== "directory") throw new FileError("ENOENT", cwd);
  const shell = await createShell(files, { cwd, env });
  const timeout = new AbortController();
  // Not AbortSignal.timeout(): its timer would keep the object in memory long after the command.
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  try {
    const { stdout, stderr, exitCode } = await shell.exec(command, {
      rawScript: true,
      signal: AbortSignal.any([timeout.signal, cancelled]),
    });
    const ended = cancelled.aborted ? EXIT_CANCELLED : timeout.signal.aborted ? EXIT_TIMED_OUT : undefined;
    return {
      stdout: boundOutput(stdout),
      stderr: boundOutput(stderr),
      exitCode: ended ?? exitCode,
      timedOut: ended === EXIT_TIMED_OUT,
    };
  } finally {
    clearTimeout(timer);
  }
}
