import { AppError } from "#src/lib/errors.ts";
import { storableText } from "#src/lib/storable-text.ts";
import { timeLimit } from "#src/lib/time-limit.ts";
import type { ContainerRuntime } from "./container-runtime.ts";
import { redactVariables, type Variables } from "./environment.ts";
import { effectivePort } from "./ports.ts";
import type { Container } from "./queries.ts";

const BUILD_MS = 300_000;
/** A program that ends earlier than this counts as not started. */
const SETTLE_MS = 2000;
/** How long a program may take until it listens on its port. */
const READY_MS = 60_000;
const FIRST_LOOK_MS = 250;
const LONGEST_LOOK_MS = 2000;
/** Limit of one request to a program that may still be building its response. */
const ANSWER_MS = 5000;
/** Limits of the output quoted in a reason: lines and characters. */
const LAST_LINES = 20;
const MAX_REASON = 2000;

export interface Outcome {
  status: "running" | "connected" | "failed";
  /** Why it failed, or a warning about a running program. */
  error: string | null;
}

/** The clock and the wait. */
export interface Pace {
  now(): number;
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

const REAL_PACE: Pace = {
  now: () => Date.now(),
  wait: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      }, ms);
      signal?.addEventListener("abort", onAbort, { once: true });
    }),
};

interface RunOptions {
  variables: Variables;
  /** The variables whose values must not appear in any output. */
  secret: Variables;
  /** The program is already running: wait for it and do not start it. */
  isAlive: boolean;
  pace?: Pace;
  signal?: AbortSignal;
}

/**
 * Builds a container's program if needed, starts it and waits until its port responds. A failure of the program is a
 * returned outcome; only a runtime that does not respond throws.
 */
export async function runProgram(
  runtime: ContainerRuntime,
  container: Container,
  { variables, secret, isAlive, pace = REAL_PACE, signal }: RunOptions,
): Promise<Outcome> {
  try {
    if (!isAlive) {
      const refusal = await build(runtime, container, { variables, secret }, signal);
      if (refusal !== undefined) return { status: "failed", error: refusal };
      const { startupCommand, directory } = container;
      signal?.throwIfAborted();
      await runtime.makeDirectory(directory);
      await runtime.startProcess(container.id, {
        command: startupCommand ?? "",
        cwd: directory,
        env: variables,
      });
    }
  } catch (error) {
    // Causes within the project itself: a missing directory, a file in place of a directory, a full disk.
    if (error instanceof AppError && !error.retryable) return { status: "failed", error: error.message };
    throw error;
  }
  return untilItAnswers(runtime, container, secret, { pace, signal });
}

/** Why the build failed; `undefined` if it succeeded or there was nothing to build. */
async function build(
  runtime: ContainerRuntime,
  { buildCommand, outputDirectory, directory }: Container,
  { variables, secret }: Pick<RunOptions, "variables" | "secret">,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  if (!buildCommand) return undefined;
  await runtime.makeDirectory(directory);
  if (outputDirectory !== null) {
    const output = directory === "" ? outputDirectory : `${directory}/${outputDirectory}`;
    if (await runtime.stat(output)) return undefined;
  }
  const options = { cwd: directory, env: variables, timeoutMs: BUILD_MS };
  const result = await runtime.exec(buildCommand, signal ? { ...options, signal } : options);
  signal?.throwIfAborted();
  if (result.exitCode === 0) return undefined;
  const how = result.timedOut ? `took more than ${BUILD_MS / 1000} seconds` : `ended with ${result.exitCode}`;
  return reason(`The build ${how}`, `${result.stdout}\n${result.stderr}`.split("\n"), secret);
}

async function untilItAnswers(
  runtime: ContainerRuntime,
  container: Container,
  secret: Variables,
  { pace, signal }: { pace: Pace; signal: AbortSignal | undefined },
): Promise<Outcome> {
  const port = effectivePort(container);
  const begun = pace.now();
  let look = FIRST_LOOK_MS;
  for (;;) {
    const left = SETTLE_MS - (pace.now() - begun);
    await pace.wait(left > 0 ? Math.min(look, left) : look, signal);
    look = Math.min(look * 2, LONGEST_LOOK_MS);
    const passed = pace.now() - begun;
    const process = (await runtime.processes()).find(({ name }) => name === container.id);
    if (!process?.running) {
      const lines = await runtime.readLog(container.id, LAST_LINES, { ofLastRun: true });
      const exit = process?.exitCode ?? null;
      const sentence = exit === null ? "The program has ended" : `The program ended with ${exit}`;
      return { status: "failed", error: reason(sentence, lines, secret) };
    }
    if (passed >= SETTLE_MS && (await answers(runtime, container.id, port))) {
      return { status: "running", error: null };
    }
    if (passed >= READY_MS) {
      return { status: "running", error: `The program runs, but does not listen on port ${port} (PORT)` };
    }
  }
}

/**
 * Whether this program listens on the port and responds, with any status. Another program on the port does not count.
 */
async function answers(runtime: ContainerRuntime, program: string, port: number): Promise<boolean> {
  if (!(await runtime.listensOn(program, port))) return false;
  const url = `http://localhost:${port}/`;
  using limit = timeLimit(ANSWER_MS);
  const request = new Request(url, { redirect: "manual", signal: limit.signal });
  try {
    const response = await runtime.fetchPort(port, request);
    await response.body?.cancel();
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "unavailable") return false;
    // The program accepted the request and is slow.
    if (error instanceof DOMException && error.name === "TimeoutError") return true;
    throw error;
  }
}

/** Separates the reason from the program's output. */
const WROTE = ":\n";

/**
 * Why a container failed, without its program's output: the output is part of the log, which needs `container.view`.
 */
export function withoutOutput(error: string): string {
  const at = error.indexOf(WROTE);
  return at === -1 ? error : `${error.slice(0, at)}; its output is shown with the container`;
}

/** A reason and the end of the output, without secret values. */
function reason(sentence: string, lines: readonly string[], secret: Variables): string {
  const words = redactVariables(lines, secret)
    .filter((line) => line.trim() !== "")
    .slice(-LAST_LINES)
    .join("\n");
  return words === "" ? sentence : storableText(`${sentence}${WROTE}${words.slice(-MAX_REASON)}`);
}
