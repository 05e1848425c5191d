import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AppError } from "#src/lib/errors.ts";
import { pipesOver } from "#src/platform/runtime/http-runtime/pipes.ts";
import { PIPE_SIGN_MS } from "#src/platform/runtime/project-pipes.ts";

const SPEC = { file: "cat", args: [] };

/** Pipes over a server that keeps one output open, and what it was sent. */
function world(refusal?: AppError) {
  const sent: unknown[] = [];
  const output = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
  const cancelled: unknown[] = [];
  const pipes = pipesOver({
    open: async () =>
      new ReadableStream({ start: output.resolve, cancel: (reason) => void cancelled.push(reason) }),
    async tell(path, body) {
      sent.push([path, body]);
      if (refusal) throw refusal;
    },
  });
  return { sent, cancelled, pipes, output: output.promise };
}

describe("the holder of an open pipe", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());

  it("gives signs until it cancels", async () => {
    const { pipes, sent, cancelled } = world(new AppError("unavailable", "It did not answer"));
    const output = await pipes.openPipe("one", SPEC);
    await vi.advanceTimersByTimeAsync(2 * PIPE_SIGN_MS);
    const sign = ["/pipes/one/input", { data: "" }];
    expect(sent).toEqual([sign, sign]);
    await output.cancel("enough");
    await vi.advanceTimersByTimeAsync(2 * PIPE_SIGN_MS);
    expect(sent).toHaveLength(2);
    expect(cancelled).toEqual(["enough"]);
  });

  it.each(["closes", "breaks off"])("gives none once the output %s", async (how) => {
    const { pipes, sent, output } = world();
    const reader = (await pipes.openPipe("one", SPEC)).getReader();
    const controller = await output;
    controller.enqueue(new Uint8Array([65]));
    expect(await reader.read()).toMatchObject({ value: new Uint8Array([65]) });
    if (how === "closes") controller.close();
    else controller.error(new Error("lost"));
    expect(await reader.read().catch((error: unknown) => error)).toMatchObject(
      how === "closes" ? { done: true } : { message: "lost" },
    );
    await vi.advanceTimersByTimeAsync(2 * PIPE_SIGN_MS);
    expect(sent).toEqual([]);
  });

  it("gives none to a program that has ended, also while nobody reads", async () => {
    const { pipes, sent } = world(new AppError("conflict", "The program has ended"));
    await pipes.openPipe("one", SPEC);
    await vi.advanceTimersByTimeAsync(3 * PIPE_SIGN_MS);
    expect(sent).toHaveLength(1);
  });
});
