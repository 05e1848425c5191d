import { boundOutput } from "./bound-output.ts";
import { FileError } from "./file-error.ts";
import { PROJECT_MOUNT } from "./paths.ts";
import type { ProjectFiles } from "./project-files.ts";
import { ShellFileSystem } from "./shell-file-system.ts";

const MEGABYTE = 1024 * 1024;

/**
 * Memory one command may use, as an isolate has 128 MB for all of a machine's objects it holds. How much a command may
 * do stays as just-bash has it: those counts end a tight loop, which would not let a timer run.
 */
const LIMITS = {
  maxLiveBytes: 64 * MEGABYTE,
  maxInputBytes: 64 * MEGABYTE,
  maxOutputSize: 16 * MEGABYTE,
  maxStringLength: 16 * MEGABYTE,
  maxHeredocSize: 16 * MEGABYTE,
  maxArchiveBytes: 64 * MEGABYTE,
  maxArchiveCompressedBytes: 32 * MEGABYTE,
  maxArchiveEntryBytes: 32 * MEGABYTE,
};
/** What a command may put outside the project; it is gone when the command ends. */
const SCRATCH_BYTES = 16 * MEGABYTE;

export const EXIT_TIMED_OUT = 124;
export const EXIT_CANCELLED = 130;

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

/** Run one command in a shell of its own over the project's files, mounted at `/project`. It has no network. */
export async function runCommand(
  files: ProjectFiles,
  command: string,
  { cwd, env, timeoutMs, cancelled }: CommandOptions,
): Promise<CommandResult> {
  if (files.tree.find(cwd, { follow: true })?.kind !== "directory") throw new FileError("ENOENT", cwd);
  const { Bash, InMemoryFs, MountableFs } = await import("just-bash");
  const base = new InMemoryFs({}, { maxTotalBytes: SCRATCH_BYTES });
  // A shell lays out /bin, /dev, /proc and /tmp in a memory file system only, so one does it for the other.
  void new Bash({ fs: base });
  const mounts = [{ mountPoint: PROJECT_MOUNT, filesystem: new ShellFileSystem(files) }];
  const shell = new Bash({
    fs: new MountableFs({ base, mounts }),
    cwd: cwd === "" ? PROJECT_MOUNT : `${PROJECT_MOUNT}/${cwd}`,
    env: { HOME: PROJECT_MOUNT, ...env },
    executionLimits: LIMITS,
  });
  const timeout = AbortSignal.timeout(timeoutMs);
  const { stdout, stderr, exitCode } = await shell.exec(command, {
    rawScript: true,
    signal: AbortSignal.any([timeout, cancelled]),
  });
  const ended = cancelled.aborted ? EXIT_CANCELLED : timeout.aborted ? EXIT_TIMED_OUT : undefined;
  return {
    stdout: boundOutput(stdout),
    stderr: boundOutput(stderr),
    exitCode: ended ?? exitCode,
    timedOut: ended === EXIT_TIMED_OUT,
  };
}
