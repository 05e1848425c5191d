import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { KnownSecrets } from "#src/agent/scrubbing/scrub.ts";
import { ShownProgress } from "#src/agent/turns/shown-progress.ts";
import type { TurnContext } from "#src/agent/turns/turn-context.ts";
import { partOf } from "#test/support/part-of.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const SECRET = "tracker-secret-0123456789";

/** The progress of a call, and the events that its readers see. */
function newCall() {
  const events: { content: string; data: Record<string, unknown> }[] = [];
  const turn = partOf<Pick<TurnContext, "log" | "secrets">>({
    log: {
      writer: {
        add: (addition: { events?: { data: string }[] }) =>
          void events.push(...(addition.events ?? []).map(({ data }) => JSON.parse(data))),
      },
    },
    secrets: { known: async () => new KnownSecrets([{ name: "TOKEN", value: SECRET, declared: true }]) },
  });
  const call = { iteration: 1, index: 0, total: 1, id: "c1", name: "mcp__a__b", parameters: {} };
  return { shown: new ShownProgress(turn, call), events };
}

it("shows the first progress at once, and then the newest, once a second", async () => {
  const { shown, events } = newCall();
  for (let progress = 0; progress < 1_000; progress += 1) shown.take({ progress, total: 1_000 });
  await vi.advanceTimersByTimeAsync(999);
  expect(events.map(({ content }) => content)).toEqual(["0 of 1000"]);
  await vi.advanceTimersByTimeAsync(1);
  expect(events.map(({ content }) => content)).toEqual(["0 of 1000", "999 of 1000"]);
});

it("shows nothing that says the same again, and nothing after the end", async () => {
  const { shown, events } = newCall();
  for (let seconds = 0; seconds < 5; seconds += 1) {
    shown.take({ progress: 1, message: "Working" });
    await vi.advanceTimersByTimeAsync(1_000);
  }
  shown.take({ progress: 2, message: "Nearly" });
  shown.end();
  shown.take({ progress: 3 });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(events.map(({ content }) => content)).toEqual(["Working"]);
});

it("says nothing of a secret", async () => {
  const { shown, events } = newCall();
  shown.take({ progress: 1, message: `Sending ${SECRET}` });
  await vi.advanceTimersByTimeAsync(0);
  expect(events[0]?.content).toBe("Sending «secret:TOKEN»");
});

it("cuts what the server says to one short line", async () => {
  const { shown, events } = newCall();
  shown.take({ progress: 1, message: `a\n\u202E\u001B[2J${"b".repeat(1_000_000)}` });
  await vi.advanceTimersByTimeAsync(0);
  expect(events[0]?.content).toHaveLength(300);
  expect(events[0]?.content).toMatch(/^a \[2Jb+$/u);
});
