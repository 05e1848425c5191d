import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ModelError } from "#src/models/model.ts";
import { parsedArguments } from "#src/models/tool-calls.ts";
import { modelAnswering, refusalsAfter, said, toStream, type Wire } from "./answering.ts";
import { runs } from "#test/support/soak.ts";

/** `FUZZ_RUNS=20000` for a long run. */
const RUNS = runs(60);

/** What a model means, before a server makes frames of it. Thinking is upper case and text lower case, so that they can be told apart. */
type Act =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "tagged"; thought: string }
  | { kind: "thinking"; thought: string }
  | { kind: "call"; name: string; args: Record<string, unknown> };

const words = fc.stringMatching(/^[a-z ,.!é\u{1F600}]{1,30}$/u);
const thoughts = fc.stringMatching(/^[A-Z]{1,20}$/u);
const odd = fc.constantFrom("half \uD83D", "nul \0", "half \uDE00 too", "<thi", "</ nk>", "~ ", "a < b");
const names = fc.constantFrom(
  "read_file",
  "write_file",
  "functions.read_file",
  "bash_exec<|channel|>commentary",
  "write file",
  "имя",
  "x".repeat(200),
);
const values = fc.oneof(
  words,
  odd,
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(words, { maxLength: 3 }),
);

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.oneof(words, odd).map((text) => ({ kind: "text" as const, text })),
  words.map((text) => ({ kind: "code" as const, text: `\n\`\`\`\n<think>${text}</think>\n\`\`\`\n` })),
  thoughts.map((thought) => ({ kind: "tagged" as const, thought })),
  thoughts.map((thought) => ({ kind: "thinking" as const, thought })),
  fc.record({
    kind: fc.constant("call" as const),
    name: names,
    args: fc.dictionary(fc.constantFrom("file_path", "content", "limit"), values),
  }),
);

/** How a server sends it. */
const manners = fc.record({
  index: fc.constantFrom("number", "text", "always 0", "none"),
  id: fc.constantFrom("own", "none", "empty", "always equal", "number", "odd"),
  args: fc.constantFrom("whole", "pieces", "object"),
  content: fc.constantFrom("text", "parts"),
  end: fc.constantFrom("both", "reason", "mark"),
  usage: fc.constantFrom(
    undefined,
    {},
    { prompt_tokens: 9, completion_tokens: 4, input_tokens: 9, output_tokens: 4 },
  ),
  seed: fc.nat(),
});
type Manners = typeof manners extends fc.Arbitrary<infer T> ? T : never;

const stream = fc.record({
  acts: fc.array(act, { maxLength: 8 }),
  manners,
  /** Share of the bytes that arrive. */
  arrives: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
  chunks: fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 10 }),
});

function idOf({ id }: Manners, place: number): object {
  if (id === "none") return {};
  return {
    id: {
      own: `call_${place}`,
      empty: "",
      "always equal": "call_0",
      number: place,
      odd: `a.b:${place}\uD800`,
    }[id],
  };
}

function indexOf({ index }: Manners, place: number): object {
  if (index === "none") return {};
  return { index: { number: place, text: String(place), "always 0": 0 }[index] };
}

/** A text in two pieces, at a place that differs from text to text. */
function pieces(text: string, { seed }: Manners): string[] {
  const middle = seed % (text.length + 1);
  return [text.slice(0, middle), text.slice(middle)];
}

function argumentsAs(args: Record<string, unknown>, how: Manners): unknown[] {
  if (how.args === "object") return [args];
  const text = JSON.stringify(args);
  return how.args === "whole" ? [text] : pieces(text, how);
}

const chunk = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
});

function openAiFrames(acts: readonly Act[], how: Manners): object[] {
  const content = (text: string) =>
    pieces(text, how).map((piece) =>
      chunk({ content: how.content === "parts" ? [{ type: "text", text: piece }] : piece }),
    );
  const frames = acts.flatMap((each, place): object[] => {
    switch (each.kind) {
      case "tagged":
        return content(`\n<think>${each.thought}</think>`);
      case "thinking":
        return how.content === "parts"
          ? [chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: each.thought }] }] })]
          : [chunk({ reasoning_content: each.thought })];
      case "call": {
        const [first, ...rest] = argumentsAs(each.args, how);
        const call = { ...indexOf(how, place), ...idOf(how, place) };
        return [
          chunk({ tool_calls: [{ ...call, function: { name: each.name, arguments: first } }] }),
          ...rest.map((piece) =>
            chunk({ tool_calls: [{ ...indexOf(how, place), function: { arguments: piece } }] }),
          ),
        ];
      }
      case "text":
      case "code":
      default:
        return content(each.text);
    }
  });
  const reason = how.end === "mark" ? [] : [chunk({}, "stop")];
  return [...frames, ...reason, ...(how.usage ? [{ choices: [], usage: how.usage }] : [])];
}

function anthropicFrames(acts: readonly Act[], how: Manners): object[] {
  const delta = (place: number, change: object) => ({
    type: "content_block_delta",
    ...blockIndex(how, place),
    delta: change,
  });
  const start = (place: number, content_block: object) => ({
    type: "content_block_start",
    ...blockIndex(how, place),
    content_block,
  });
  const content = (place: number, text: string) => [
    start(place, { type: "text", text: "" }),
    ...pieces(text, how).map((piece) => delta(place, { type: "text_delta", text: piece })),
  ];
  const frames = acts.flatMap((each, place): object[] => {
    switch (each.kind) {
      case "tagged":
        return content(place, `\n<think>${each.thought}</think>`);
      case "thinking":
        return [
          start(place, { type: "thinking", thinking: "", signature: "" }),
          delta(place, { type: "thinking_delta", thinking: each.thought }),
          delta(place, { type: "signature_delta", signature: "abc" }),
        ];
      case "call":
        return [
          start(place, { type: "tool_use", ...idOf(how, place), name: each.name, input: {} }),
          ...argumentsAs(each.args, how).map((partial_json) =>
            delta(place, { type: "input_json_delta", partial_json }),
          ),
        ];
      case "text":
      case "code":
      default:
        return content(place, each.text);
    }
  });
  return [
    { type: "message_start", message: { usage: how.usage } },
    ...frames,
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: how.usage },
    { type: "message_stop" },
  ];
}

/** Every block has an index on this wire. */
function blockIndex(how: Manners, place: number): object {
  return how.index === "none" ? { index: place } : indexOf(how, place);
}

function framesOf(wire: Wire, acts: readonly Act[], how: Manners): string[] {
  if (wire === "anthropic") return anthropicFrames(acts, how).map((frame) => JSON.stringify(frame));
  const mark = how.end === "reason" ? [] : ["[DONE]"];
  return [...openAiFrames(acts, how).map((frame) => JSON.stringify(frame)), ...mark];
}

function inChunks(bytes: Uint8Array, sizes: readonly number[]): ReadableStream<Uint8Array> {
  let place = 0;
  let turn = 0;
  return new ReadableStream({
    pull(controller) {
      const size = sizes[turn % sizes.length] ?? 1;
      if (place >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(place, place + size));
      place += size;
      turn += 1;
    },
  });
}

/** The text that is shown of an answer, without white space, which thinking takes along. */
function shownOf(acts: readonly Act[]): string {
  const texts = acts.map((each) => {
    if (each.kind === "tagged") return "\n";
    return each.kind === "text" || each.kind === "code" ? each.text : "";
  });
  return bare(texts.join(""));
}

function bare(text: string): string {
  return text.replaceAll(/\s/gu, "");
}

describe.each(["openai", "anthropic"] as const)("random streams on the wire of %s", (wire) => {
  it("lose no text, show no thinking, run no half call, and go back as a provider takes them", async () => {
    await fc.assert(
      fc.asyncProperty(stream, async ({ acts, manners: how, arrives, chunks }) => {
        const whole = new TextEncoder().encode(toStream(framesOf(wire, acts, how)));
        const bytes = whole.subarray(0, Math.ceil(whole.length * arrives));
        const headers = { "content-type": "text/event-stream" };
        const model = modelAnswering(wire, () => new Response(inChunks(bytes, chunks), { headers }));
        const answer = await said(model).catch((error: unknown) => {
          // A stream that arrives whole is an answer, and whatever else happens is a failure with a name.
          if (error instanceof ModelError && arrives < 1) return undefined;
          throw error;
        });
        if (!answer) return;
        const { shown, finished } = answer;
        expect(shown).toBe(finished.text);
        expect(bare(shown)).toBe(shownOf(acts));
        expect(shown).not.toMatch(/[A-Z]/u);
        const thought = acts.flatMap((each) => ("thought" in each ? [each.thought] : []));
        expect(bare(finished.thought ?? "")).toBe(thought.join(""));
        const called = acts.flatMap((each) => (each.kind === "call" ? [JSON.stringify(each.args)] : []));
        const run = finished.toolCalls.map((call) => JSON.stringify(parsedArguments(call.arguments)));
        expect(run).toEqual(called);
        expect(refusalsAfter(finished)).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});
