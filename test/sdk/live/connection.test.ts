import { describe, expect, it } from "vitest";
import { ConnectionError, NotFoundError, UnauthorizedError } from "#sdk/errors.ts";
import { event, start } from "./support/scripted-chat.ts";
import { settled, take } from "./support/scripted-sockets.ts";

describe("a connection", () => {
  it("that is silent for 45 s is dead; one that answers pings is not", async () => {
    const { source, clock } = start();
    const first = await source.opened();
    for (let round = 0; round < 10; round += 1) {
      await clock.pass(15_000);
      first.say({ type: "pong" });
    }
    expect(first.readyState).toBe(1);
    expect(first.pings).toBe(11);
    await clock.pass(44_000);
    expect(first.readyState).toBe(1);
    await clock.pass(16_000);
    expect(first.readyState).toBe(3);
    expect(source.sockets).toHaveLength(2);
  });

  it("is tried again ever more slowly, until there is progress", async () => {
    const { source, clock } = start();
    await settled();
    const times: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      source.sockets.at(-1)?.end();
      const [count, from] = [source.sockets.length, clock.now()];
      while (source.sockets.length === count) await clock.pass(10);
      times.push(clock.now() - from);
    }
    expect(times).toEqual([250, 500, 1_000, 2_000, 4_000, 7_500, 7_500, 7_500]);
    const socket = await source.opened();
    socket.say({ type: "pong" });
    socket.end();
    await clock.pass(250);
    expect(source.sockets).toHaveLength(10);
  });

  it("waits as long as the service asks", async () => {
    const { source, clock } = start();
    const socket = await source.opened();
    socket.say({ type: "error", message: "Slowly", data: { code: "rate_limited", retry_after_seconds: 60 } });
    socket.end(1013, "try_again_later");
    await clock.pass(59_000);
    expect(source.sockets).toHaveLength(1);
    await clock.pass(1_000);
    expect(source.sockets).toHaveLength(2);
  });

  it("asks once for new credentials, and is over when they are refused, too", async () => {
    const { source, chat } = start();
    const sending = chat.send({ message: "Hello" });
    sending.catch(() => {});
    const first = await source.opened();
    expect(first.isRenewed).toBe(false);
    first.end(4401, "auth_failed");
    const second = await source.opened();
    expect(second.isRenewed).toBe(true);
    second.say({ type: "error", message: "Not authenticated", data: { code: "unauthenticated" } });
    second.end(4401, "auth_failed");
    await expect(sending).rejects.toBeInstanceOf(UnauthorizedError);
    await expect(chat.events().next()).rejects.toThrow("Not authenticated");
    expect(source.sockets).toHaveLength(2);
  });

  it.each([
    [4403, "forbidden", "forbidden"],
    [4404, "not_found", "not_found"],
    [1008, "policy", "policy"],
  ])("that is closed with %i is not tried again", async (code, reason, expected) => {
    const { source, clock, chat } = start();
    const socket = await source.opened();
    socket.say(event("a", 1));
    socket.end(code, reason);
    const events = chat.events();
    await take(events, 1);
    await expect(events.next()).rejects.toMatchObject({ code: expected });
    await clock.pass(60_000);
    expect(source.sockets).toHaveLength(1);
  });

  it("is over at a mistake in the address, and lost at a normal close without words", async () => {
    const { source, clock, chat } = start();
    (await source.opened()).end(1000, "");
    await clock.pass(1_000);
    const socket = await source.opened();
    socket.say({ type: "error", message: "task_id: Invalid UUID", data: { code: "invalid_input" } });
    socket.end(1000, "ended");
    await expect(chat.events().next()).rejects.toMatchObject({ status: 400 });
  });

  it("that cannot be made is tried again, unless the failure is final", async () => {
    const { source, clock, chat } = start();
    source.failures.push(new ConnectionError("no network"), new TypeError("fetch failed"));
    await clock.pass(5_000);
    const socket = await source.opened();
    source.failures.push(new NotFoundError("gone", { code: "not_found" }));
    socket.end();
    await clock.pass(60_000);
    await expect(chat.events().next()).rejects.toThrow("gone");
  });

  it("that opens after the chat was closed is closed", async () => {
    // Wherever its opening is just then.
    for (let turns = 0; turns < 12; turns += 1) {
      const { source, chat } = start();
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      chat.close();
      await settled();
      expect(source.sockets.map(({ readyState }) => readyState)).toEqual([3]);
    }
  });
});
