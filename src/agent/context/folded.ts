import type { Turn, TurnCall } from "#src/domain/agent-work/tasks/index.ts";
import { estimateText } from "#src/models/estimate-tokens.ts";
import { headAndTail } from "../tools/bound-text.ts";
import { textOf, type HistoryMessage } from "./transcript.ts";

/** A part of a conversation that is never split: one message, or one turn with the results of its calls. */
export type Unit = { kind: "message"; message: HistoryMessage } | { kind: "turn"; turn: Turn };

/** Most characters of each kind of text when there is enough room. */
const MESSAGE_CHARS = 8_000;
const ANSWER_CHARS = 4_000;
const ARGUMENT_CHARS = 1_500;
const RESULT_CHARS = 2_000;

/** Smallest share of those limits that is tried, by halves, before the whole text is cut in the middle. */
const SMALLEST_SHARE = 1 / 64;

/** Renders units as the input of a summary, of at most about `tokens`: each long text keeps its head and its tail. */
export function describeUnits(units: readonly Unit[], tokens: number): string {
  for (let share = 1; ; share /= 2) {
    const text = units.map((unit) => describe(unit, share)).join("\n");
    const estimate = estimateText(text);
    if (estimate <= tokens) return text;
    if (share <= SMALLEST_SHARE) return headAndTail(text, Math.floor((text.length * tokens) / estimate));
  }
}

/** Renders units as one line each. Used instead of a summary when none can be made. */
export function outline(units: readonly Unit[], chars: number): string {
  const lines = units.map((unit) => {
    if (unit.kind === "message") return `${unit.message.role}: ${line(textOf(unit.message.content), 200)}`;
    const calls = unit.turn.tool_calls.map(
      (call) => `${call.name}(${line(call.arguments, 80)}) ${call.result.success ? "ok" : "failed"}`,
    );
    return `turn ${unit.turn.iteration}: ${[line(unit.turn.response_text, 120), ...calls].filter(Boolean).join("; ")}`;
  });
  return headAndTail(
    `${units.length} parts of the conversation were left out without a summary:\n${lines.join("\n")}`,
    chars,
  );
}

function describe(unit: Unit, share: number): string {
  const cut = (text: string, chars: number) => headAndTail(text, Math.ceil(chars * share));
  if (unit.kind === "message") {
    const { role, content } = unit.message;
    const text = cut(textOf(content), role === "user" ? MESSAGE_CHARS : ANSWER_CHARS);
    return `<${role}>\n${text}\n</${role}>`;
  }
  const { iteration, response_text: said, tool_calls: calls } = unit.turn;
  const call = ({ name, arguments: text, model_text, result }: TurnCall) =>
    `call ${name} ${cut(text, ARGUMENT_CHARS)}\n${result.success ? "result" : "failed"}: ${cut(model_text, RESULT_CHARS)}`;
  return [
    `<turn number="${iteration}">`,
    ...(said === "" ? [] : [cut(said, ANSWER_CHARS)]),
    ...calls.map(call),
    "</turn>",
  ].join("\n");
}

function line(text: string, chars: number): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, chars).toWellFormed();
}
