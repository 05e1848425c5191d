import { ConnectionError, TimeoutError, WorkspaceError } from "@agent-workspace/client";
import { CommandError, reasonOf } from "./errors.ts";
import { EXIT, exitCodeOfStatus, type ExitCode } from "./exit-codes.ts";
import type { Output } from "./output/output.ts";
import { red } from "./output/styles.ts";

/** A failure as it is told. */
interface Failure {
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly detail: string;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly advice?: string | undefined;
}

/** Tells a failure on standard error, and returns its exit code. */
export function report(error: unknown, output: Output): ExitCode {
  const { exitCode, code, detail, status, requestId, advice } = failureOf(error);
  if (output.json) {
    output.recordError({
      error: { code, status: status ?? null, detail, request_id: requestId ?? null },
    });
    return exitCode;
  }
  output.note(red("Error:"), ` ${detail}`);
  if (advice !== undefined) output.note(advice);
  if (exitCode === EXIT.failed && requestId !== undefined) output.aside(`Request ${requestId}`);
  return exitCode;
}

/** What is told of an error, and its exit code. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CommandError) {
    const { exitCode, code, message, advice } = error;
    return { exitCode, code, detail: message, advice };
  }
  if (error instanceof WorkspaceError) {
    const { status, code, requestId } = error;
    return {
      exitCode: exitCodeOf(error),
      code,
      detail: detailOf(error),
      status,
      requestId,
      advice: adviceOf(error),
    };
  }
  // Of the argument parser: its class is not exported.
  if (error instanceof Error && error.name === "CLIError") {
    return { exitCode: EXIT.usage, code: "usage", detail: error.message };
  }
  return {
    exitCode: EXIT.failed,
    code: "failed",
    detail: error instanceof Error ? error.message || reasonOf(error) : String(error),
  };
}

function exitCodeOf(error: WorkspaceError): ExitCode {
  if (error instanceof ConnectionError) return EXIT.unreachable;
  if (error instanceof TimeoutError) return EXIT.timeout;
  return exitCodeOfStatus(error.status ?? 0);
}

/** What went wrong; of a connection that failed, only the innermost error says why. */
function detailOf(error: WorkspaceError): string {
  const { detail, cause } = error;
  return error instanceof ConnectionError && cause !== undefined ? `${detail}: ${reasonOf(cause)}` : detail;
}

function adviceOf({ status, retryAfterSeconds }: WorkspaceError): string | undefined {
  if (status === 401) return "Sign in with `workspace login`.";
  if (status === 402) return "`workspace usage` shows the credits that are left.";
  if (status === 429 && retryAfterSeconds !== undefined) return `Try again in ${retryAfterSeconds} s.`;
  return undefined;
}
