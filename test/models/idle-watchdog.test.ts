import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { withIdleWatchdog } from "#src/models/idle-watchdog.ts";

const STALL_MS = 1000;
const encode = (text: string) => new TextEncoder().encode(text);

/** What became of it, awaited only after the clock has moved. */
const outcome = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

/** A transport whose body is written by the test and which ignores every abort. */
function deafTransport() {
  const body = new TransformStream<Uint8Array, Uint8Array>();
  const writer = body.writable.getWriter();
  let signal: AbortSignal | null | undefined;
  const fetch = withIdleWatchdog(
    async (_input, init) => {
      signal = init?.signal;
      return new Response(body.readable);
    },
    { stallMs: STALL_MS },
  );
  return { fetch, writer, aborted: () => signal?.aborted };
}

// Only what the watchdog uses: the streams, and what else lives in this process, keep the real clock.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** Lets the streams do all that they can do now, before or after the clock has moved. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((settled) => setImmediate(settled));
}

async function advance(ms: number): Promise<void> {
  await settle();
  vi.advanceTimersByTime(ms);
  await settle();
}

/** Moves the clock until this has ended; returns how it did. A clock that moves once would leave a later timer waiting for ever. */
async function inTime<T>(ended: Promise<T>): Promise<T> {
  for (let round = 0; round < 10; round += 1) {
    await advance(STALL_MS);
    const over = await Promise.race([ended.then((value) => ({ value })), settle()]);
    if (over) return over.value;
  }
  throw new Error("It has not ended");
}

describe("withIdleWatchdog", () => {
  it("gives up on a server that never answers, though the transport ignores the abort", async () => {
    const fetch = withIdleWatchdog(() => new Promise(() => {}), { stallMs: STALL_MS });
    const failed = outcome(fetch("https://model.test"));
    expect(await inTime(failed)).toMatchObject({ code: "stalled", retryable: true });
  });

  it("takes any byte for life, a keep-alive comment too, and gives up when they stop", async () => {
    const { fetch, writer, aborted } = deafTransport();
    const response = await fetch("https://model.test");
    const read = outcome(response.text());
    // More than the whole time together; and where a byte is late by a round, still less between two.
    for (let count = 0; count < 5; count += 1) {
      await advance(STALL_MS * 0.4);
      void writer.write(encode(": still here\n\n"));
    }
    expect(aborted()).toBe(false);
    expect(await inTime(read)).toMatchObject({ code: "stalled" });
    expect(aborted()).toBe(true);
  });

  it("does not count the time its reader takes", async () => {
    const { fetch, writer } = deafTransport();
    const response = await fetch("https://model.test");
    void writer.write(encode("first "));
    await advance(1);
    void writer.write(encode("second"));
    void writer.close();
    await advance(STALL_MS * 10);
    expect(await response.text()).toBe("first second");
  });

  it("ends with the caller's reason, though the transport ignores the abort", async () => {
    const { fetch } = deafTransport();
    const caller = new AbortController();
    const reason = new Error("cancelled");
    const response = await fetch("https://model.test", { signal: caller.signal });
    const read = outcome(response.text());
    caller.abort(reason);
    expect(await read).toBe(reason);
    await expect(fetch("https://model.test", { signal: caller.signal })).rejects.toBe(reason);
  });

  it("leaves an answer without a body, its status and its headers as they are", async () => {
    const fetch = withIdleWatchdog(
      async () => new Response(null, { status: 204, headers: { "x-id": "1" } }),
      {
        stallMs: STALL_MS,
      },
    );
    const response = await fetch("https://model.test");
    expect([response.status, response.headers.get("x-id")]).toEqual([204, "1"]);
  });
});
