import { headAndTail } from "./bound-text.ts";
import { boundValue } from "./bound-value.ts";
import type { ToolResult } from "./tool.ts";

/** Most bytes of a recorded result, as JSON in UTF-8. */
const EVENT_RESULT_BYTES = 32 * 1024;

/** Bounds from generous to tight; the first that fits is used. */
const BOUNDS = [
  { chars: 10_000, items: 500 },
  { chars: 4_000, items: 100 },
  { chars: 1_000, items: 20 },
  { chars: 200, items: 5 },
] as const;

/**
 * Returns a result as the event log and the database record it: the same fields, each cut to head and tail, the whole
 * at most `EVENT_RESULT_BYTES`. If the result is still too large, only its sentence is kept, with `truncated: true`.
 */
export function toEventResult(result: ToolResult): Record<string, unknown> {
  for (const bounds of BOUNDS) {
    const bounded = Object.fromEntries(
      Object.entries(result).map(([name, value]) => [name, boundValue(value, bounds)]),
    );
    if (jsonBytes(bounded) <= EVENT_RESULT_BYTES) return bounded;
  }
  return result.success
    ? { success: true, message: headAndTail(result.message, 1_000), truncated: true }
    : { success: false, error: headAndTail(result.error, 1_000), truncated: true };
}

function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
