import { expect, it } from "vitest";
import { beside, netDueAt } from "#src/work/beside.ts";
import { makeMessage } from "#src/work/message.ts";
import type { Queue, QueueMessage } from "#src/platform/queue/queue.ts";
import { newId } from "#src/lib/ids.ts";
import { partOf } from "#test/support/part-of.ts";

/** A queue that refuses while it is down, and a request that waits for what goes on beside it. */
function newRequest() {
  const published: QueueMessage[] = [];
  const work: Promise<unknown>[] = [];
  let isDown = false;
  const queue: Queue = partOf({
    publish: async (message: QueueMessage) => {
      if (isDown) throw new Error("The queue is down");
      published.push(message);
    },
  });
  const waitUntil = (more: Promise<unknown>) => void work.push(more);
  return {
    setDown: (down: boolean) => (isDown = down),
    /** What was published, by function, once nothing goes on any more. */
    published: async () => {
      await Promise.all(work);
      return published.map(({ function: name }) => name);
    },
    begin: (message: QueueMessage, isDone = true) =>
      beside({ queue, waitUntil }, message, async () => isDone),
  };
}

const message = (net?: QueueMessage): QueueMessage => ({
  ...makeMessage("work", {}, { deduplicationId: newId() }),
  ...(net && { net }),
});
const newNet = () => makeMessage("net", {}, { deduplicationId: newId() });

it("messages share a net that the queue has", async () => {
  const request = newRequest();
  const net = newNet();
  for (let times = 0; times < 3; times += 1) await request.begin(message(net));
  await request.begin(message(newNet()));
  expect(await request.published()).toEqual(["net", "net"]);
});

it("a net that the queue did not take is published with the next message", async () => {
  const request = newRequest();
  const net = newNet();
  request.setDown(true);
  await expect(request.begin(message(net))).rejects.toThrow("The queue is down");
  request.setDown(false);
  await request.begin(message(net));
  expect(await request.published()).toEqual(["net"]);
});

it("what is left is published at once, beside its net; without one the message is its own", async () => {
  const request = newRequest();
  await request.begin(message(newNet()), false);
  await request.begin(message());
  const published = await request.published();
  expect(published.toSorted()).toEqual(["net", "work", "work"]);
});

it("a net is due ten to thirteen seconds after what it is for", () => {
  for (const now of [0, 1, 2_999, 3_000, 1_796_000_123_456]) {
    const seconds = (netDueAt(now) - now) / 1_000;
    expect(seconds > 10 && seconds <= 13).toBe(true);
  }
});
