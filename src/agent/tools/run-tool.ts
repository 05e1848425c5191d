import { AppError } from "#src/lib/errors.ts";
import type { ToolCall } from "#src/models/model.ts";
import { Deferred } from "./deferred.ts";
import { findTool, offeredTools } from "./index.ts";
import { NeedsInput } from "./needs-input.ts";
import { missingScope } from "./missing-scope.ts";
import {
  failure,
  type DeferredRequest,
  type DeferredState,
  type Tool,
  type ToolContext,
  type ToolFailure,
  type ToolResult,
} from "./tool.ts";

/** The outcome of a call. A failed call is a result for the model, never the end of the task. */
export interface ToolOutcome {
  success: boolean;
  /** Unbounded; everything that leaves the process goes through `toModelText` or `toEventResult`. */
  result: ToolResult;
  /** Cause of an unexpected failure, only for the log: it may hold anything. */
  cause?: unknown;
}

/**
 * Runs one call of the model. An unknown tool, bad arguments, a missing permission and everything that the tool throws
 * become a failure for the model. Throws only `NeedsInput`, `Deferred` and the signal's reason, as soon as the signal aborts, though a tool that
 * ignores the signal may still be finishing.
 */
export async function runTool(call: ToolCall, context: ToolContext): Promise<ToolOutcome> {
  context.signal.throwIfAborted();
  const tool = findTool(call.name, context);
  if (!tool?.isOffered(context)) {
    const names = offeredTools(context, context.scopes)
      .map(({ name }) => name)
      .join(", ");
    return failed(failure(`There is no tool named "${call.name.slice(0, 80)}".`, `The tools are: ${names}.`));
  }
  const refusal = missingScope(tool, context.scopes);
  if (refusal) return failed(refusal);
  try {
    const result = await untilAborted(tool.run(call.arguments, context), context.signal);
    // A command that the signal ended returns a result, which says nothing about the command.
    context.signal.throwIfAborted();
    return { success: result.success, result };
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof NeedsInput || error instanceof Deferred) throw error;
    if (error instanceof AppError) return failed(failure(error.message, adviceFor(error, tool)), error.cause);
    return failed(
      failure(`${tool.name} failed for an internal reason.`, "Try again, or go another way."),
      error,
    );
  }
}

/**
 * Goes on with a call that an executor before this one has begun, where the tool can. Else its outcome is unknown. Throws only
 * the signal's reason.
 */
export async function resumeTool(call: ToolCall, context: ToolContext): Promise<ToolOutcome> {
  context.signal.throwIfAborted();
  const tool = findTool(call.name, context);
  if (!tool?.resume || missingScope(tool, context.scopes)) return failed(INTERRUPTED);
  try {
    const result = await untilAborted(tool.resume(call.arguments, context), context.signal);
    return result ? { success: result.success, result } : failed(INTERRUPTED);
  } catch (cause) {
    context.signal.throwIfAborted();
    return failed(INTERRUPTED, cause);
  }
}

/** Asks about a call that its server goes on with, or tells the server something about it. Throws only the signal's reason. */
export async function followTool(
  call: Pick<ToolCall, "name">,
  context: ToolContext,
  request: DeferredRequest,
): Promise<DeferredState> {
  context.signal.throwIfAborted();
  const tool = findTool(call.name, context);
  const refusal = tool && missingScope(tool, context.scopes);
  if (refusal) return { kind: "failed", passes: "never", result: refusal };
  if (!tool?.follow) return { kind: "failed", passes: "never", result: GONE };
  try {
    return await untilAborted(tool.follow(request, context), context.signal);
  } catch (cause) {
    context.signal.throwIfAborted();
    const result = failure(`The result of ${tool.name} cannot be read for an internal reason.`, CHECK);
    return { kind: "failed", passes: "hardly", result, cause };
  }
}

const CHECK = "Check what it did before you run it again.";

const INTERRUPTED = failure("The call was interrupted and its outcome is unknown.", CHECK);

const GONE = failure(
  "The tool of this call is no longer there, so its result cannot be read.",
  "Go on without it, or tell the user.",
);

/**
 * What the model should do about a failure. A call with an effect may have taken effect before its runtime was lost.
 */
function adviceFor({ code, retryable }: AppError, { effect }: Tool): string | undefined {
  if (code === "unavailable" && effect === "other") return CHECK;
  return retryable ? "This may pass: try again." : undefined;
}

function failed(result: ToolFailure, cause?: unknown): ToolOutcome {
  return cause === undefined ? { success: false, result } : { success: false, result, cause };
}

/**
 * Returns the work's result, or throws the signal's reason as soon as it aborts: a call to a hanging runtime must not
 * delay a cancel.
 */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
