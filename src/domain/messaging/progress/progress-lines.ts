import { z } from "zod";
import { oneLine } from "#src/lib/one-line.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { visibleLine } from "#src/lib/visible.ts";
import type { LoggedEvent } from "#src/lib/server-sent-events.ts";

/** Lines of the newest calls. */
const MAX_LINES = 3;
/** Of an argument the end is shown: of a path the file, of a command what it is about. */
const MAX_ARGUMENT = 27;

const ToolStart = z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()).optional() });

/** The newest calls of an agent, one line each: those known before and those of further events. */
export function progressLines(before: readonly string[], events: readonly LoggedEvent[]): string[] {
  const lines = [...before];
  for (const { type, data } of events) {
    if (type !== "tool_start") continue;
    const started = safeParseJson(data, ToolStart)?.value;
    if (started) lines.push(lineOf(started));
  }
  return lines.slice(-MAX_LINES);
}

function lineOf({ tool, args = {} }: z.output<typeof ToolStart>): string {
  const argument = Object.values(args).find((value) => typeof value === "string" && value !== "");
  const name = visibleLine(tool);
  if (typeof argument !== "string") return name;
  const text = Array.from(oneLine(argument));
  return `${name} ${text.length > MAX_ARGUMENT ? `…${text.slice(-MAX_ARGUMENT).join("")}` : text.join("")}`;
}
