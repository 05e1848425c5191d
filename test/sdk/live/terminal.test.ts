import { describe, expect, it, onTestFinished } from "vitest";
import { NotFoundError } from "#sdk/errors.ts";
import { openTerminal, type TerminalOptions } from "#sdk/live/terminal.ts";
import { ManualClock, ScriptedSource, settled, take } from "./support/scripted-sockets.ts";

function start(options: TerminalOptions = {}) {
  const [source, clock] = [new ScriptedSource(), new ManualClock()];
  const terminal = openTerminal(source, "project", { ...options, clock });
  onTestFinished(() => terminal.close());
  return { source, clock, terminal };
}

const ready = { type: "ready", session_id: "s", position: 0 };
const output = (data: string, position: number) => ({ type: "output", data, position });
const typed = (sent: readonly Record<string, unknown>[]) =>
  sent.filter(({ type }) => type === "input").map(({ data }) => data);

describe("a terminal", () => {
  it("types, and is resumed by its session and position without loss or repetition", async () => {
    const { source, clock, terminal } = start({ columns: 100, rows: 30, target: "environment" });
    const chunks = terminal.output();
    const first = await source.opened();
    expect(first.path).toBe("/api/terminal/project/connect");
    expect(first.query).toEqual({ target: "environment", cols: "100", rows: "30" });
    first.say(ready, output("a", 1));
    terminal.write("ls\n");
    terminal.resize(120, 40);
    expect(first.sent.slice(-2)).toEqual([
      { type: "input", data: "ls\n" },
      { type: "resize", cols: 120, rows: 40 },
    ]);
    expect(terminal.session).toBe("s");
    first.end();
    await clock.pass(1_000);
    const second = await source.opened();
    expect(second.query).toEqual({
      target: "environment",
      session: "s",
      position: "1",
      cols: "120",
      rows: "40",
    });
    second.say({ ...ready, position: 1 }, output("a", 1), output("bc", 3));
    expect(await take(chunks, 2)).toEqual([
      { data: "a", position: 1 },
      { data: "bc", position: 3 },
    ]);
    second.end(1000, "The shell has ended with 0");
    expect(await chunks.next()).toMatchObject({ done: true });
    expect(terminal.reason).toBe("The shell has ended with 0");
    expect(() => terminal.write("more")).toThrow("The shell has ended with 0");
    await clock.pass(60_000);
    expect(source.sockets).toHaveLength(2);
  });

  it("tells once when its connection is there, lost, and there again", async () => {
    const told: boolean[] = [];
    const { source, clock, terminal } = start({ onConnection: (isConnected) => told.push(isConnected) });
    (await source.opened()).end();
    await clock.pass(60_000);
    expect(told).toEqual([]);
    const first = await source.opened();
    first.say(ready);
    first.end();
    await clock.pass(60_000);
    (await source.opened()).end();
    await clock.pass(60_000);
    expect(told).toEqual([true, false]);
    (await source.opened()).say(ready);
    await settled();
    expect(told).toEqual([true, false, true]);
    terminal.close();
    await settled();
    expect(told).toHaveLength(3);
  });

  it("keeps what is typed without a connection, in order and up to a bound", async () => {
    const { source, clock, terminal } = start();
    terminal.write("one ");
    const first = await source.opened();
    terminal.write("two ");
    expect(typed(first.sent)).toEqual([]);
    first.say(ready);
    expect(typed(first.sent)).toEqual(["one two "]);
    first.end();
    await settled();
    terminal.write("x".repeat(64 * 1024));
    expect(() => terminal.write("y")).toThrow("waits for the connection");
    await clock.pass(1_000);
    const second = await source.opened();
    second.say(ready);
    expect(typed(second.sent).join("")).toBe("x".repeat(64 * 1024));
  });

  it("sends long input in frames that split no character", async () => {
    const { source, terminal } = start();
    const socket = await source.opened();
    socket.say(ready);
    const text = `x${"😀".repeat(20_000)}`;
    terminal.write(text);
    const pieces = typed(socket.sent).map(String);
    expect(pieces.join("")).toBe(text);
    for (const piece of pieces) {
      expect(piece.isWellFormed()).toBe(true);
      expect(piece.length).toBeLessThanOrEqual(8 * 1024);
    }
    expect(() => terminal.write("x".repeat(300_000))).toThrow("at once");
  });

  it("names the targets where it needs one", async () => {
    const { source, terminal } = start();
    const socket = await source.opened();
    socket.say({ type: "select_container", targets: [{ id: "ctr:1", name: "web" }] });
    await expect(terminal.output().next()).rejects.toMatchObject({
      code: "target_needed",
      message: expect.stringContaining("ctr:1 (web)"),
    });
    expect(socket.readyState).toBe(3);
  });

  it("ends with an error when its session is gone or goes on elsewhere", async () => {
    const lost = start({ session: "old", position: 5 });
    const socket = await lost.source.opened();
    socket.say({ type: "error", message: "Session not found" });
    socket.end(4404, "not_found");
    await expect(lost.terminal.output().next()).rejects.toMatchObject({
      message: "Session not found",
      status: 404,
    });
    const bare = start();
    (await bare.source.opened()).end(4404, "not_found");
    await expect(bare.terminal.output().next()).rejects.toBeInstanceOf(NotFoundError);
    const taken = start();
    const other = await taken.source.opened();
    other.say(ready, { type: "error", message: "The terminal continues in another window" });
    other.end(1000, "resumed elsewhere");
    await expect(taken.terminal.output().next()).rejects.toThrow("another window");
  });

  it("keeps its connection for a slow reader, and reads the rest from its position", async () => {
    const { source, terminal } = start();
    const first = await source.opened();
    first.say(ready);
    const part = "x".repeat(256 * 1024);
    for (let count = 1; count <= 8; count += 1) first.say(output(part, part.length * count));
    await settled();
    expect(first.readyState).toBe(1);
    terminal.write("\u0003");
    expect(typed(first.sent)).toEqual(["\u0003"]);
    const chunks = terminal.output();
    const read = await take(chunks, 4);
    const second = await source.opened();
    expect(second.query["position"]).toBe(String(part.length * 4));
    second.say({ ...ready, position: part.length * 4 }, output(part, part.length * 5));
    read.push(...(await take(chunks, 1)));
    expect(read.map(({ position }) => position / part.length)).toEqual([1, 2, 3, 4, 5]);
    terminal.close();
    expect(await chunks.next()).toMatchObject({ done: true });
  });
});
