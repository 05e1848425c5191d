import { boundOutput } from "./bound-output.ts";
import { timeLimit } from "#src/lib/time-limit.ts";
import { createShell } from "./create-shell.ts";
import type { CallFiles } from "./file-calls.ts";
import type { Job, JobResult, WithBytes } from "./job.ts";
import { sayWhatIsMissing } from "./missing-commands.ts";
import { RemoteFileError } from "./remote-file-system.ts";
import { fillScratch, takeScratch } from "./scratch.ts";
import { isUnfinished, runLine, usesBackground } from "./shell-lines.ts";

const EXIT_TIMED_OUT = 124;
const EXIT_CANCELLED = 130;
const NO_BACKGROUND =
  "This runtime runs nothing in the background: what ends with & was run to its end before the next command.\n";

/** The environment of a job: its process or isolate. */
export interface JobSurroundings {
  callFiles: CallFiles;
  /** Yields to timers and messages. */
  pause: () => Promise<void>;
  /** Ends the job early. */
  cancelled: AbortSignal;
}

/**
 * Runs a job in a separate shell. If the shell yields, the job ends at its timeout or its signal with its output so
 * far; a computation that never yields is ended from outside. Does not throw.
 */
export async function runJob(
  { value: job, bytes }: WithBytes<Job>,
  surroundings: JobSurroundings,
): Promise<WithBytes<JobResult>> {
  try {
    if (job.kind === "command") return { value: await runCommand(job, surroundings) };
    return await runLineJob(job, bytes ?? new Uint8Array(), surroundings);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const failure = error instanceof RemoteFileError ? { failure: error.failure } : {};
    return { value: { kind: "failed", ...failure, message } };
  }
}

async function runCommand(
  { command, cwd, env, timeoutMs }: Extract<Job, { kind: "command" }>,
  { callFiles, pause, cancelled }: JobSurroundings,
): Promise<JobResult> {
  const { bash } = createShell({ callFiles, pause, cwd, env });
  using limit = timeLimit(timeoutMs);
  const timeout = limit.signal;
  const { stdout, stderr, exitCode } = await bash.exec(command, {
    rawScript: true,
    signal: AbortSignal.any([timeout, cancelled]),
  });
  const ended = cancelled.aborted ? EXIT_CANCELLED : timeout.aborted ? EXIT_TIMED_OUT : undefined;
  const note = ended === undefined && usesBackground(bash, command) ? NO_BACKGROUND : "";
  return {
    kind: "command",
    stdout: boundOutput(stdout),
    stderr: `${boundOutput(sayWhatIsMissing(stderr))}${note}`,
    exitCode: ended ?? exitCode,
    timedOut: ended === EXIT_TIMED_OUT,
  };
}

async function runLineJob(
  job: Extract<Job, { kind: "line" }>,
  bytes: Uint8Array,
  { callFiles, pause, cancelled }: JobSurroundings,
): Promise<WithBytes<JobResult>> {
  const { bash, scratch, given } = createShell({ callFiles, pause, cwd: job.cwd, env: job.env });
  if (job.mayContinue && isUnfinished(bash, job.text)) return { value: { kind: "unfinished" } };
  await fillScratch(scratch, job.scratch, bytes);
  const { output, ...result } = await runLine(bash, job, cancelled);
  const left = await takeScratch(scratch, given);
  return {
    value: { kind: "line", ...result, output: sayWhatIsMissing(output), scratch: left.entries },
    bytes: left.bytes,
  };
}
