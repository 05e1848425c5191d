import { counted } from "#src/lib/counted.ts";
import { cut } from "#src/lib/one-line.ts";
import type { Turn } from "#src/domain/agent-work/tasks/index.ts";
import type { PlacedMessage } from "./chat-summary.ts";

/** Most calls that are named (the last ones), and most characters of each subject: some 500 tokens in all. */
const NAMED_CALLS = 20;
const SUBJECT_CHARS = 60;

/** Parameters that say what a call is about; they are stored scrubbed. */
const SUBJECTS = ["file_path", "path", "command", "pattern", "url", "query"];

/** Summarises an agent's work on a message for later tasks; null where it called no tool. */
export function workNote(turns: readonly Pick<Turn, "tool_calls">[]): string | null {
  const calls = turns.flatMap((turn) => turn.tool_calls);
  if (calls.length === 0) return null;
  const named = calls
    .slice(-NAMED_CALLS)
    .map(({ name, parameters, result }) => `${name}${subjectOf(parameters)} ${result.success ? "✓" : "✗"}`);
  const earlier = calls.length - named.length;
  return [...(earlier > 0 ? [counted(earlier, "earlier call")] : []), ...named].join(", ");
}

function subjectOf(parameters: Readonly<Record<string, unknown>>): string {
  const values = SUBJECTS.map((name) => parameters[name]);
  const value = values.find((each) => typeof each === "string" && each !== "");
  if (typeof value !== "string") return "";
  const text = value.trim();
  const shown = cut(text.split("\n", 1)[0] ?? "", SUBJECT_CHARS);
  return ` ${shown}${shown === text ? "" : "…"}`;
}

/**
 * Returns an earlier message for the model: an answer is followed by a note of its work, which is part of it from then
 * on.
 */
export function replayed({ work, ...message }: Placed): PlacedMessage {
  if (!work) return message;
  const note = `[Tools called for this, as the service noted: ${work}]`;
  return { ...message, content: message.content === "" ? note : `${message.content}\n\n${note}` };
}

interface Placed extends PlacedMessage {
  content: string;
  work: string | null;
}
