import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { publishAhead } from "#src/work/ahead.ts";
import { messageOf } from "#src/work/job.ts";
import { keptQueue } from "#test/support/kept-queue.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: 0 }));
afterEach(() => void vi.useRealTimers());

const MESSAGE = messageOf({ name: "advance-run", key: "k" }, { occasion: "asked" });
const AHEAD = { ...MESSAGE, delaySeconds: 1 };

it("the message of a job that is stored in time is the only one", async () => {
  const { published, queue } = keptQueue();
  const store = async () => {
    expect(published).toEqual([AHEAD]);
    vi.setSystemTime(999);
    return "stored";
  };
  expect(await publishAhead(queue, MESSAGE, store)).toBe("stored");
  expect(published).toHaveLength(1);
});

it("a job that was stored after its message came has another one, which the queue takes for a new one", async () => {
  const { published, queue } = keptQueue();
  await publishAhead(queue, MESSAGE, async () => void vi.setSystemTime(1_000));
  const again = { ...MESSAGE, deduplicationId: `${MESSAGE.deduplicationId}-stored` };
  expect(published).toEqual([AHEAD, again]);
});

const goneAway = () => Promise.reject(new Error("The queue did not answer"));

it("nothing is stored that the queue has no message of", async () => {
  let isStored = false;
  const stored = publishAhead({ publish: goneAway }, MESSAGE, async () => {
    isStored = true;
  });
  await expect(stored).rejects.toThrow("did not answer");
  expect(isStored).toBe(false);
});
