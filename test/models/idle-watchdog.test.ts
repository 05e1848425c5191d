import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createAnthropicStyleModel } from "#src/models/anthropic-style/index.ts";
import { withIdleWatchdog } from "#src/models/idle-watchdog.ts";
import { createOpenAiStyleModel } from "#src/models/openai-style/index.ts";

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

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe("withIdleWatchdog", () => {
  it("gives up on a server that never answers, though the transport ignores the abort", async () => {
    const fetch = withIdleWatchdog(() => new Promise(() => {}), { stallMs: STALL_MS });
    const failed = outcome(fetch("https://model.test"));
    await vi.advanceTimersByTimeAsync(STALL_MS);
    expect(await failed).toMatchObject({ code: "stalled", retryable: true });
  });

  it("takes any byte for life, a keep-alive comment too, and gives up when they stop", async () => {
    const { fetch, writer, aborted } = deafTransport();
    const response = await fetch("https://model.test");
    const read = outcome(response.text());
    for (let count = 0; count < 5; count += 1) {
      await vi.advanceTimersByTimeAsync(STALL_MS * 0.9);
      await writer.write(encode(": still here\n\n"));
    }
    expect(aborted()).toBe(false);
    await vi.advanceTimersByTimeAsync(STALL_MS);
    expect(await read).toMatchObject({ code: "stalled" });
    expect(aborted()).toBe(true);
  });

  it("does not count the time its reader takes", async () => {
    const { fetch, writer } = deafTransport();
    const response = await fetch("https://model.test");
    void writer.write(encode("first "));
    await vi.advanceTimersByTimeAsync(1);
    void writer.write(encode("second"));
    void writer.close();
    await vi.advanceTimersByTimeAsync(STALL_MS * 10);
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

  it.each([
    ["OpenAI", createOpenAiStyleModel],
    ["Anthropic", createAnthropicStyleModel],
  ])("makes a silent %s-style model fail as stalled, before and within an answer", async (_, create) => {
    vi.useRealTimers();
    const config = { provider: "p", model: "m", baseURL: "https://model.test", apiKey: "k" };
    const request = { system: "", messages: [{ role: "user" as const, content: "hi" }], tools: [] };
    const silences: (typeof globalThis.fetch)[] = [
      () => new Promise(() => {}),
      async () => new Response(new ReadableStream({ start: (body) => body.enqueue(encode(": hi\n\n")) })),
    ];
    for (const silence of silences) {
      const model = create({ ...config, fetch: withIdleWatchdog(silence, { stallMs: 20 }) });
      const events = Array.fromAsync(model.stream(request, new AbortController().signal));
      await expect(events).rejects.toMatchObject({ code: "stalled", retryable: true });
    }
  });
});
