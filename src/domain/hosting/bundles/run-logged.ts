import type { ExecResult } from "#src/platform/runtime/project-commands.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";

/** The part of a runtime that runs builds. */
export type BuildRuntime = Pick<
  ProjectRuntime,
  "runsProcesses" | "startProcess" | "stopProcess" | "processes" | "watchLog" | "exec" | "list" | "readFile"
>;

export interface LoggedCommand {
  command: string;
  cwd: string;
  env: Readonly<Record<string, string>>;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Called with new lines as they arrive, one call at a time. */
  onLines: (lines: string[]) => unknown;
  /** Called when a command that is over could not be stopped. */
  onUnstopped: (cause: unknown) => void;
}

/** How a command ended. `stopped`: something else ended it, such as the hibernation of the project. */
export type CommandEnd = { kind: "exited"; exitCode: number } | { kind: "timed-out" } | { kind: "stopped" };

/** Names of the processes that are builds begin so. */
const BUILD = "deployment-build-";
/** Interval of the look at the processes: the log does not show that a program was killed. */
const LOOK_MS = 5000;
/** How long the last lines of a program that ended may take. */
const LAST_LINES_MS = 2000;
/** Lines that the runtime keeps, so that none is lost before the log is watched. */
const KEPT_LINES = 2000;
/** Exit code of a program that SIGTERM ended. */
const EXIT_TERMINATED = 143;

/**
 * Runs a command of a build to its end, with its output line by line. Where the runtime runs programs, the command is
 * one, so that its output is there while it runs; a build that an executor left behind is stopped first. Throws the
 * signal's reason.
 */
export async function runLogged(runtime: BuildRuntime, wish: LoggedCommand): Promise<CommandEnd> {
  wish.signal?.throwIfAborted();
  return runtime.runsProcesses ? runAsProcess(runtime, wish) : runAtOnce(runtime, wish);
}

async function runAtOnce(
  runtime: BuildRuntime,
  { command, cwd, env, timeoutMs, signal, onLines }: LoggedCommand,
): Promise<CommandEnd> {
  const result = await runtime.exec(command, { cwd, env, timeoutMs, ...(signal && { signal }) });
  signal?.throwIfAborted();
  const lines = linesOf(result);
  if (lines.length > 0) await onLines(lines);
  return result.timedOut ? { kind: "timed-out" } : { kind: "exited", exitCode: result.exitCode };
}

function linesOf({ stdout, stderr }: ExecResult): string[] {
  return [stdout, stderr].flatMap((text) => (text === "" ? [] : text.replace(/\n$/u, "").split("\n")));
}

async function runAsProcess(runtime: BuildRuntime, wish: LoggedCommand): Promise<CommandEnd> {
  for (const { name, running } of await runtime.processes()) {
    if (running && name.startsWith(BUILD)) await runtime.stopProcess(name);
  }
  const name = BUILD + crypto.randomUUID();
  const mark = crypto.randomUUID();
  const { cwd, env } = wish;
  const over = new AbortController();
  try {
    await runtime.startProcess(name, { command: marked(wish.command, mark), cwd, env });
    return await Promise.race([
      untilMarked(runtime, { name, mark }, wish, over.signal),
      untilGone(runtime, name, over.signal),
      wait(wish.timeoutMs, over.signal).then(() => ({ kind: "timed-out" }) as const),
      aborted(wish.signal, over.signal),
    ]);
  } finally {
    over.abort();
    // Also what the command has left running in the background.
    await runtime.stopProcess(name).catch(wish.onUnstopped);
  }
}

/** A script that runs the command and then writes a line with the mark and the exit code. */
function marked(command: string, mark: string): string {
  const quoted = `'${command.replaceAll("'", `'\\''`)}'`;
  // The command may leave streams open; the mark comes on a line of its own, behind the output of both streams.
  return `bash -c ${quoted} 2>&1; code=$?; printf '\\n%s %s\\n' ${mark} "$code"; exit "$code"`;
}

/** Passes on the lines of the log, until the mark. */
async function untilMarked(
  runtime: BuildRuntime,
  { name, mark }: { name: string; mark: string },
  { onLines }: LoggedCommand,
  over: AbortSignal,
): Promise<CommandEnd> {
  const reader = (await runtime.watchLog(name, KEPT_LINES)).getReader();
  over.addEventListener("abort", () => void reader.cancel().catch(() => undefined), { once: true });
  const decoder = new TextDecoder();
  let rest = "";
  // Empty lines at the end are not passed on: one of them belongs to the mark.
  let held: string[] = [];
  while (!over.aborted) {
    // A log that breaks off does not end the build: only its further lines are missing.
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
    if (done || !value || over.aborted) break;
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    const end = lines.findIndex((line) => line.startsWith(`${mark} `));
    const written = [...held, ...(end === -1 ? lines : lines.slice(0, end))];
    const last = written.findLastIndex((line) => line !== "") + 1;
    held = written.slice(last);
    if (last > 0) await onLines(written.slice(0, last));
    if (end !== -1) return { kind: "exited", exitCode: Number(lines[end]?.slice(mark.length + 1)) };
  }
  // The look at the processes decides.
  return never();
}

/** Waits until the program has ended, which its log may not show. */
async function untilGone(runtime: BuildRuntime, name: string, over: AbortSignal): Promise<CommandEnd> {
  for (;;) {
    await wait(LOOK_MS, over);
    const state = (await runtime.processes()).find((each) => each.name === name);
    if (state?.running) continue;
    await wait(LAST_LINES_MS, over);
    const exitCode = state?.exitCode ?? EXIT_TERMINATED;
    return exitCode === EXIT_TERMINATED ? { kind: "stopped" } : { kind: "exited", exitCode };
  }
}

function aborted(signal: AbortSignal | undefined, over: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = () => reject(signal?.reason);
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true, signal: over });
  });
}

/** Resolves after a time; never once it is over. */
function wait(ms: number, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (over.aborted) return;
    const timer = setTimeout(resolve, ms);
    over.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
