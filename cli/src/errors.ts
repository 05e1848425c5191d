import { EXIT, type ExitCode } from "./exit-codes.ts";

/** A failure that the command line explains in one sentence, with its exit code. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;
  /** For programs, as `not_signed_in`. */
  readonly code: string;
  /** What to do next, in one sentence. */
  readonly advice: string | undefined;

  constructor(exitCode: ExitCode, code: string, message: string, advice?: string) {
    super(message);
    this.name = "CommandError";
    this.exitCode = exitCode;
    this.code = code;
    this.advice = advice;
  }
}

/** Wrong arguments: exit code 2. */
export class UsageError extends CommandError {
  constructor(message: string, advice?: string) {
    super(EXIT.usage, "usage", message, advice);
    this.name = "UsageError";
  }
}

export function notSignedIn(service: string): CommandError {
  return new CommandError(
    EXIT.notSignedIn,
    "not_signed_in",
    `You are not signed in to ${service}`,
    `Run \`workspace login ${service}\`, or set WORKSPACE_API_KEY.`,
  );
}

export const stopped = () => new CommandError(EXIT.stopped, "stopped", "Stopped");

/** The innermost reason of a failure: `fetch` only says that it failed. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  // An error of several attempts to connect has no words of its own.
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  return error.message || code || error.name;
}
