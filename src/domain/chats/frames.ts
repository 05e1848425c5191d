import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";

/** An event of a task's log as a reader gets it. */
export interface LoggedEvent {
  id: number;
  type: string;
  /** One line of JSON. */
  data: string;
}

/** What a log says in one go: events, or only that it lives. */
export type Heard = { kind: "events"; events: LoggedEvent[] } | { kind: "heartbeat" };

/** Reads the Server-Sent Events of a task's log, which are `id`, `event` and `data` lines, or a comment. */
export async function* heardIn(body: ReadableStream<Uint8Array>): AsyncGenerator<Heard, void, undefined> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    const events = blocks.flatMap((block) => (block.startsWith(":") ? [] : [eventIn(block)]));
    if (events.length > 0) yield { kind: "events", events };
    else if (blocks.length > 0) yield { kind: "heartbeat" };
  }
}

function eventIn(block: string): LoggedEvent {
  const event: LoggedEvent = { id: 0, type: "", data: "" };
  for (const line of block.split("\n")) {
    if (line.startsWith("id: ")) event.id = Number(line.slice(4));
    else if (line.startsWith("event: ")) event.type = line.slice(7);
    else if (line.startsWith("data: ")) event.data = line.slice(6);
  }
  return event;
}

/** A comment: it keeps connections open, and clients skip it. */
export const COMMENT = ": keep-alive\n\n";

/** For clients that give up a stream on which no data comes for a while. */
export const DATA_HEARTBEAT = 'data: {"type":"agent_heartbeat","data":{}}\n\n';

export function dataFrame(body: object): string {
  return `data: ${JSON.stringify(body)}\n\n`;
}

/**
 * An event for clients of the rich streams (projects-chat.md section 12): the log's own, but that a call with its result is a
 * `tool_call`. With its id where the client can come back with it; never with an `event` line, which their parsers do not take.
 */
export function richFrame({ id, type, data }: LoggedEvent, withId: boolean): string {
  const text = type === "tool_result" ? data.replace('{"type":"tool_result"', '{"type":"tool_call"') : data;
  return withId ? `id: ${id}\ndata: ${text}\n\n` : `data: ${text}\n\n`;
}

const ToolResult = z.object({
  tool: z.string(),
  args: z.record(z.string(), z.unknown()),
  result: z.record(z.string(), z.unknown()),
});
const AgentStep = z.object({ data: z.object({ response_text: z.string() }) });
const Failure = z.object({ error: z.string() });
const Question = z.object({ tool: z.string(), data: z.object({ approval_id: z.string() }) });
const Complete = z.object({ data: z.object({ completion_reason: z.string().nullable() }) });

/**
 * What an event is on the stream of the interface, which knows three types: a tool that has run, what the agent says, and a
 * failure. Text comes turn by turn, since nothing there could take back the pieces of a turn that starts over.
 */
export function simpleFrame({ type, data }: LoggedEvent): string {
  switch (type) {
    case "tool_result": {
      const call = safeParseJson(data, ToolResult)?.value;
      if (!call) return "";
      const { tool, args, result } = call;
      return dataFrame({ type: "tool_execution", tool, args, result: textOfResult(result) });
    }
    case "agent_step": {
      const text = safeParseJson(data, AgentStep)?.value.data.response_text ?? "";
      return text === "" ? "" : dataFrame({ type: "message", content: text });
    }
    case "approval_required": {
      const question = safeParseJson(data, Question)?.value;
      if (!question) return "";
      const content = `I wait for somebody to allow ${question.tool} (approval ${question.data.approval_id}).`;
      return dataFrame({ type: "message", content });
    }
    case "error": {
      const failure = safeParseJson(data, Failure)?.value;
      return dataFrame({ type: "error", error: failure?.error ?? "The task failed" });
    }
    case "complete": {
      const isCancelled = safeParseJson(data, Complete)?.value.data.completion_reason === "cancelled";
      return isCancelled ? dataFrame({ type: "error", error: "The task was cancelled" }) : "";
    }
    default:
      return "";
  }
}

/** A result as text: its sentence, its short fields as JSON, then its texts. */
function textOfResult(result: Readonly<Record<string, unknown>>): string {
  const { success: _, message, error, ...fields } = result;
  const entries = Object.entries(fields);
  const texts = entries.filter(([, value]) => typeof value === "string" && value.includes("\n"));
  const others = entries.filter(([, value]) => typeof value !== "string" || !value.includes("\n"));
  return [
    ...[message, error].filter((sentence) => typeof sentence === "string"),
    ...(others.length > 0 ? [JSON.stringify(Object.fromEntries(others))] : []),
    ...texts.map(([, text]) => String(text)),
  ].join("\n");
}
