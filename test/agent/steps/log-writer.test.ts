import { describe, expect, it, onTestFinished, vi } from "vitest";
import { LogWriter, StoppedError, SupersededError } from "#src/agent/steps/log-writer.ts";
import type { Addition, Control } from "#src/platform/objects/task-logs.ts";

const GO: Control = { stale: false, stop: null };
const event = (name: string) => ({ type: name, data: "{}" });

function writerOver(append: (addition: Addition) => Promise<Control>) {
  const stops: Error[] = [];
  const writer = new LogWriter({
    append,
    textEvent: (text) => ({ type: "text", data: text }),
    onStop: (error) => stops.push(error),
    sparingAfter: 100,
  });
  return { writer, stops };
}

describe("LogWriter", () => {
  it("writes in order, and gathers what comes while a write is under way", async () => {
    const written: string[][] = [];
    const gate = Promise.withResolvers<void>();
    const { writer } = writerOver(async ({ events }) => {
      written.push(events.map(({ type, data }) => (type === "text" ? data : type)));
      if (written.length === 1) await gate.promise;
      return GO;
    });
    writer.add({ events: [event("a")] });
    const first = writer.flush();
    writer.text("one ");
    writer.text("piece");
    writer.add({ events: [event("b")] });
    gate.resolve();
    await Promise.all([first, writer.flush()]);
    expect(written).toEqual([["a"], ["one piece", "b"]]);
  });

  it("writes what was added soon, also when no caller waits for it", async () => {
    const written = Promise.withResolvers<readonly string[]>();
    const { writer } = writerOver(async ({ events }) => {
      written.resolve(events.map(({ type }) => type));
      return GO;
    });
    writer.add({ events: [event("a")] });
    writer.add({ events: [event("b")] });
    expect(await written.promise).toEqual(["a", "b"]);
  });

  it("writes the first text after a silence at once, and gathers what follows it closely", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const written: string[][] = [];
    const { writer } = writerOver(async ({ events }) => {
      written.push(events.map(({ type, data }) => (type === "text" ? data : type)));
      return GO;
    });
    writer.add({ events: [event("begun")] });
    for (const piece of ["one ", "two ", "three "]) {
      writer.text(piece);
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(written).toEqual([["begun", "one "]]);
    await vi.advanceTimersByTimeAsync(200);
    writer.text("four");
    await vi.advanceTimersByTimeAsync(10);
    expect(written).toEqual([["begun", "one "], ["two three "], ["four"]]);
  });

  it("repeats a write whose answer was lost, under the same sequence", async () => {
    const sequences: number[] = [];
    const { writer } = writerOver(async ({ sequence }) => {
      sequences.push(sequence);
      if (sequences.length === 1) throw new Error("connection lost");
      return GO;
    });
    writer.add({ events: [event("a")] });
    await writer.flush();
    writer.add({ events: [event("b")] });
    await writer.flush();
    expect(sequences).toEqual([1, 1, 2]);
  });

  it("writes nothing more after a write that failed for good", async () => {
    const written: string[] = [];
    const { writer } = writerOver(async ({ events }) => {
      written.push(...events.map(({ type }) => type));
      throw new Error("the object is gone");
    });
    writer.add({ events: [event("a")] });
    await expect(writer.flush()).rejects.toThrow("the object is gone");
    writer.add({ events: [event("b")] });
    await expect(writer.flush()).rejects.toThrow("the object is gone");
    expect(written).not.toContain("b");
  });

  it.each([
    [{ stale: true, stop: null }, SupersededError],
    [{ stale: false, stop: "cancelled" }, StoppedError],
  ] satisfies [Control, unknown][])("says once that the log answered %o", async (control, kind) => {
    const { writer, stops } = writerOver(async () => control);
    for (const name of ["a", "b"]) {
      writer.add({ events: [event(name)] });
      await writer.flush();
    }
    expect(stops).toHaveLength(1);
    expect(stops[0]).toBeInstanceOf(kind);
  });
});
