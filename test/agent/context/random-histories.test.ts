import * as fc from "fast-check";
import { expect, inject, it } from "vitest";
import { Compaction } from "#src/agent/context/compaction.ts";
import { ConversationWindow } from "#src/agent/context/within-window.ts";
import type { HistoryMessage } from "#src/agent/context/transcript.ts";
import type { Turn } from "#src/domain/agent-work/tasks/index.ts";
import { estimateTokens } from "#src/models/estimate-tokens.ts";
import type { ModelMessage } from "#src/models/model.ts";
import { answeringModel, modelError, never } from "#test/support/answering-model.ts";
import { expectValid, shownTurns, turn } from "./conversation.ts";
import { runs } from "#test/support/soak.ts";

/** Histories that are tried; many more in `npm run soak`. */
const RUNS = runs(15);

const chars = (most: number) => fc.oneof(fc.nat(200), fc.nat(most));

/** A turn as sizes: of the model's text and of each result. It has a call, because a turn without one is the last. */
const sizes = fc.record({
  text: chars(12_000),
  results: fc.array(chars(30_000), { minLength: 1, maxLength: 6, size: "max" }),
});

const sizeOf = (messages: ModelMessage[]) =>
  estimateTokens({ system: "You are a test.", tools: [], messages });

const scenario = fc.record({
  window: fc.integer({ min: 40_000, max: 200_000 }),
  history: fc.array(fc.record({ isUsers: fc.boolean(), size: chars(10_000) }), {
    maxLength: 20,
    size: "max",
  }),
  message: fc.integer({ min: 1, max: 10_000 }),
  turns: fc.array(sizes, { maxLength: 30, size: "max" }),
  /** What becomes of each summary that is asked for, in turn. */
  summaries: fc.array(fc.oneof(fc.nat(80_000), fc.constant("fails" as const)), {
    minLength: 1,
    maxLength: 5,
  }),
  /** How much of the estimate the provider counts in truth, in per cent. */
  counts: fc.integer({ min: 80, max: 200 }),
});

it("keeps every conversation whole, in order and under the window, whatever its sizes and whichever summaries fail", async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ window, history, message, turns, summaries, counts }) => {
      let asked = 0;
      const { model } = answeringModel(() => {
        const outcome = summaries[asked % summaries.length] ?? 0;
        asked += 1;
        return outcome === "fails" ? modelError("overloaded", true) : `summary ${"z".repeat(outcome)}`;
      });
      const said = history.map(({ isUsers, size }, at): HistoryMessage => ({
        role: isUsers ? "user" : "assistant",
        content: `earlier ${at} ${"h".repeat(size)}`,
      }));
      const task = `the task ${"m".repeat(message)}`;
      const past: Turn[] = [];
      let stored: string | null = null;
      const call = async () => {
        const shown = new ConversationWindow({
          system: "You are a test.",
          tools: [],
          conversation: { history: said, message: task, turns: past },
          model,
          window,
          compaction: stored === null ? null : Compaction.parse(JSON.parse(stored)),
          signal: never(),
          onCompacted: async (compaction) => {
            stored = JSON.stringify(compaction);
          },
          onSummaryFailed: () => {},
        });
        let messages = await shown.messages();
        // A request that a provider would refuse as too long: shrinking the window must make it fit.
        while (sizeOf(messages) * (counts / 100) > window) {
          messages = await shown.shrink(modelError("context_too_long"));
        }
        return { messages, size: sizeOf(messages) };
      };

      for (const { text, results } of [...turns, { text: 0, results: [0] }]) {
        const { messages, size } = await call();
        expectValid(messages);
        const shown = shownTurns(messages);
        expect(shown).toEqual(Array.from(shown, (_, at) => past.length - shown.length + 1 + at));
        expect(shown.at(-1)).toBe(past.at(-1)?.iteration);
        const earlier = messages.flatMap(({ content }) =>
          typeof content === "string" ? (/^earlier (\d+) /u.exec(content)?.[1] ?? []) : [],
        );
        const order = earlier.map(Number);
        expect(order).toEqual(order.toSorted((a, b) => a - b));
        expect(messages.findLast(({ role }) => role === "user")?.content).toBe(task);
        // The same again after a crash.
        expect((await call()).messages).toEqual(messages);

        const iteration = past.length + 1;
        past.push(
          turn(
            iteration,
            results.map((length) => "r".repeat(length)),
            { text: `said ${iteration} ${"w".repeat(text)}`, inputTokens: Math.round(size * (counts / 100)) },
          ),
        );
      }
    }),
    { numRuns: RUNS, seed: inject("fuzzSeed") },
  );
});
