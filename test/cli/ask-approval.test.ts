import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { askVerdict } from "#cli/tasks/ask-approval.ts";

it("a key that was typed before the question is no answer to it, also of a process that was busy", async () => {
  const stdin = Object.assign(new PassThrough(), { setRawMode: () => stdin });
  const show = vi.fn<() => void>();
  // From here on, times that are over come before what can be read.
  await turn();
  const asked = askVerdict(stdin, { show, interrupt: () => {}, signal: new AbortController().signal });
  setImmediate(() => stdin.write("y"));
  for (const until = performance.now() + 100; performance.now() < until;);
  await vi.waitFor(() => expect(show).toHaveBeenCalled());
  stdin.write("n");
  expect(await asked).toBe("stop");
});
