import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { Moment } from "./conversation.ts";
import { asksToExplain, explain } from "./explain.ts";
import { starterOf } from "./starters.ts";

/** One scripted answer of the demo model. */
const Turn = z.strictObject({
  /**
   * `{now}` is replaced by the time of sending, in milliseconds since the epoch, and `{pictures}` by the number of
   * pictures in the prompt.
   */
  text: z.string().default(""),
  /** Number of deltas: the text is cut into that many pieces, or repeated when it is shorter. By words when absent. */
  chunks: z.number().int().positive().optional(),
  /** Pause between deltas. */
  delay_ms: z.number().nonnegative().default(0),
  /** Pause before the answer begins. */
  first_delay_ms: z.number().nonnegative().default(0),
  /** Called in parallel, after the text. */
  tools: z.array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) })).default([]),
  /** Fails with this status, the first `times` times that this conversation is sent; always when `times` is absent. */
  error: z
    .object({ status: z.number().int().min(400).max(599), times: z.number().int().optional() })
    .optional(),
  /** Sends nothing after the text, and never ends. */
  stall: z.boolean().default(false),
  /** Ends with an invalid response. */
  garbage: z.boolean().default(false),
});
export type Turn = z.infer<typeof Turn>;

const SCRIPT = /```demo\s*\n([\s\S]*?)```/u;

/**
 * Decides the demo model's next turn. A prompt may contain a script, a fenced block of the language `demo` with a JSON
 * list of turns; otherwise the model does what the console offers to begin with, writes and reads a file when asked for one, or
 * introduces itself.
 */
export function decideTurn(moment: Moment): Turn {
  const script = SCRIPT.exec(moment.prompt)?.[1];
  if (script !== undefined) return scriptedTurn(script, moment);
  if (asksToExplain(moment.prompt) && moment.tools.has("list_dir")) return explainTurn(moment);
  const starter = starterOf(moment);
  if (starter && moment.tools.has("write_file")) return starterTurn(starter, moment);
  if (moment.tools.has("write_file") && /\b(write|create|make|add)\b/iu.test(moment.prompt))
    return fileTurn(moment);
  return say(
    "Hello! I am the demo model: I follow a script and do not think. " +
      "Ask me to create a file, and I will call the tools for it; set DEFAULT_MODEL and a key for a model that thinks.",
  );
}

function scriptedTurn(script: string, { turn: index, pictures }: Moment): Turn {
  const turns = safeParseJson(script, z.array(Turn))?.value;
  if (!turns) return say("The demo script in your message is not a JSON list of turns.");
  const turn = turns[index];
  return turn
    ? { ...turn, text: turn.text.replaceAll("{pictures}", String(pictures)) }
    : say("The script is over.");
}

/** One call after the other, then the answer. */
function starterTurn(starter: NonNullable<ReturnType<typeof starterOf>>, moment: Moment): Turn {
  const calls = starter.calls.flatMap(([name, values]) => call(name, moment.tools, values) ?? []);
  const next = calls[moment.turn];
  if (next) return Turn.parse({ tools: [next] });
  return say(starter.answer.replace("{output}", () => outputIn(moment.results.at(-1) ?? "")));
}

/** Lists the files, reads what says what they are, then tells of both. */
function explainTurn({ results, tools }: Moment): Turn {
  const next = explain(results);
  return typeof next === "string" ? say(next) : Turn.parse({ tools: [call(next[0], tools, next[1])] });
}

/** What a command printed, in the result of a call; nothing for one that failed. */
function outputIn(result: string): string {
  const [, output = ""] = /<stdout>\n([\s\S]*?)\n<\/stdout>/u.exec(result) ?? [];
  return output.trim().slice(0, 2_000) || "(nothing)";
}

/** Writes, then reads back, then reports. */
function fileTurn({ prompt, turn, results, tools }: Moment): Turn {
  const name = fileNameIn(prompt);
  const calls = [
    call("write_file", tools, {
      path: name,
      content: `Written by the demo model.\n\nYou asked: ${prompt.trim()}\n`,
    }),
    call("read_file", tools, { path: name }),
  ].filter((known) => known !== undefined);
  const next = calls[turn];
  if (next) return Turn.parse({ text: turn === 0 ? `I will write \`${name}\`.` : "", tools: [next] });
  const read = results.length === 0 ? "" : ` It now reads:\n\n${results.at(-1)?.slice(0, 500)}`;
  return say(`I am the demo model, and I wrote \`${name}\`.${read}`);
}

/** Returns the name in backticks, or the first word that looks like a file. */
function fileNameIn(prompt: string): string {
  const quoted = /`([\w./-]+\.\w+)`/u.exec(prompt)?.[1];
  return quoted ?? /(?<![\w/:])[\w-]+(?:\/[\w-]+)*\.[a-z]\w{0,7}\b/iu.exec(prompt)?.[0] ?? "hello.txt";
}

/**
 * Returns a call with its values under the parameter names that the tool declares; `undefined` when the tool is not
 * offered.
 */
function call(
  name: string,
  tools: Moment["tools"],
  values: Readonly<Record<string, string | number>>,
): Turn["tools"][number] | undefined {
  const parameters = tools.get(name);
  if (!parameters) return undefined;
  const named = Object.entries(values).map(([key, value]) => [
    parameters.find((parameter) => parameter === key) ??
      parameters.find((parameter) => parameter.includes(key)) ??
      key,
    value,
  ]);
  return { name, arguments: Object.fromEntries(named) };
}

function say(text: string): Turn {
  return Turn.parse({ text });
}

/** Returns the text in the pieces in which it is streamed. */
export function piecesOf({ text, chunks }: Turn): string[] {
  if (text === "") return [];
  if (chunks === undefined) return text.match(/\s*\S+\s*$|\s*\S+/gu) ?? [text];
  if (chunks > text.length) return Array.from({ length: chunks }, () => text);
  return Array.from({ length: chunks }, (_, index) =>
    text.slice(Math.floor((index * text.length) / chunks), Math.floor(((index + 1) * text.length) / chunks)),
  );
}
