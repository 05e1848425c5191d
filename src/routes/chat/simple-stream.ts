import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { jsonFrame, type LoggedEvent } from "#src/lib/server-sent-events.ts";
import type { SimpleChatFrame } from "#src/wire/streams.ts";

const ToolResult = z.object({
  tool: z.string(),
  args: z.record(z.string(), z.unknown()),
  result: z.record(z.string(), z.unknown()),
});
const TextDelta = z.object({ content: z.string() });
const AgentStep = z.object({ data: z.object({ response_text: z.string() }) });
const Failure = z.object({ error: z.string() });
const Notice = z.object({ content: z.string() });
const Question = z.object({ tool: z.string(), data: z.object({ approval_id: z.string() }) });
const Complete = z.object({
  data: z.object({ success: z.boolean(), completion_reason: z.string().nullable() }),
});

/**
 * The simple chat stream. It has three types of frames: a tool that has run, the agent's text, and a failure. Text is sent
 * complete, once its turn can no longer be restarted: before the turn's first call, or at the end of the turn. Reads a
 * task's log from its first event.
 */
export class SimpleStream {
  /** Text of the turn that has not been sent. */
  #text = "";
  /** Whether the text of the current turn has been sent, and whether any text has been sent. */
  #isTurnShown = false;
  #hasSpoken = false;

  /** The frames for an event, or nothing. */
  framesOf({ type, data }: LoggedEvent): string {
    switch (type) {
      case "text_delta":
        this.#text += safeParseJson(data, TextDelta)?.value.content ?? "";
        return "";
      case "turn_restarted":
        this.#text = "";
        return "";
      case "tool_start":
        return this.#say(this.#text);
      case "tool_result":
        return this.#say(this.#text) + toolExecution(data);
      case "agent_step": {
        const said = this.#say(safeParseJson(data, AgentStep)?.value.data.response_text ?? "");
        this.#isTurnShown = false;
        return said;
      }
      case "approval_required":
        return this.#say(this.#text) + question(data);
      case "waiting": {
        const content = safeParseJson(data, Notice)?.value.content ?? "";
        return frame({ type: "message", content });
      }
      case "error": {
        const failure = safeParseJson(data, Failure)?.value;
        return frame({ type: "error", error: failure?.error ?? "The task failed" });
      }
      case "complete":
        return this.#end(data);
      default:
        return "";
    }
  }

  /** The frame for a turn's text, sent once per turn. */
  #say(text: string): string {
    this.#text = "";
    if (this.#isTurnShown || text === "") return "";
    this.#isTurnShown = true;
    this.#hasSpoken = true;
    return frame({ type: "message", content: text });
  }

  /** An agent that ends without text still gets a message frame. */
  #end(data: string): string {
    const end = safeParseJson(data, Complete)?.value.data;
    if (end?.completion_reason === "cancelled") {
      return frame({ type: "error", error: "The task was cancelled" });
    }
    return end?.success && !this.#hasSpoken ? frame({ type: "message", content: "" }) : "";
  }
}

function toolExecution(data: string): string {
  const call = safeParseJson(data, ToolResult)?.value;
  if (!call) return "";
  const { tool, args, result } = call;
  return frame({ type: "tool_execution", tool, args, result: textOfResult(result) });
}

function question(data: string): string {
  const asked = safeParseJson(data, Question)?.value;
  if (!asked) return "";
  const content = `I wait until a member of the project allows ${asked.tool} (approval ${asked.data.approval_id}).`;
  return frame({ type: "message", content });
}

/** A result as text: its message, its short fields as JSON, then its long texts. */
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

function frame(body: SimpleChatFrame): string {
  return jsonFrame(body);
}
