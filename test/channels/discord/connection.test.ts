import { describe, expect, it, vi } from "vitest";
import { connectDiscord } from "#src/channels/discord/connection.ts";
import { fieldsOf } from "#test/support/fields.ts";
import { ScriptedKeeper, scriptedEnvironment } from "../keeper.ts";

const credentials = { bot_token: "a.bot.token", application_id: "1", public_key: "ab" };
const self = { botId: "99", botName: "bot" };
const HELLO = { op: 10, d: { heartbeat_interval: 40_000 } };
const READY = {
  op: 0,
  s: 1,
  t: "READY",
  d: { session_id: "s1", resume_gateway_url: "wss://resume.discord.test" },
};
const REMEMBERED = { sessionId: "s0", resumeUrl: "wss://resume.discord.test", sequence: 41 };

const message = (s: number, content: string) => ({
  op: 0,
  s,
  t: "MESSAGE_CREATE",
  d: { id: String(s), channel_id: "5", author: { id: "7", username: "ann" }, content },
});

function connect(memory?: object, remaining = 1_000) {
  const keeper = new ScriptedKeeper(memory);
  const calls: { url: string; body: unknown }[] = [];
  const environment = scriptedEnvironment((url, { body }) => {
    calls.push({ url, body: typeof body === "string" ? JSON.parse(body) : undefined });
    if (!url.endsWith("/gateway/bot")) return new Response(null, { status: 204 });
    const limit = { total: 1_000, remaining, reset_after: 60_000, max_concurrency: 1 };
    return Response.json({ url: "wss://gateway.discord.test", session_start_limit: limit });
  });
  const ended = connectDiscord({ credentials, self, environment }, keeper);
  ended.catch(() => undefined);
  return { keeper, ended, calls };
}

async function begun(memory?: object) {
  const { keeper, ...rest } = connect(memory);
  await vi.waitFor(() => expect(keeper.sockets).toHaveLength(1));
  keeper.socket.say(HELLO);
  await vi.waitFor(() => expect(keeper.socket.sent).toHaveLength(1));
  return { keeper, ...rest };
}

async function ready() {
  const { keeper, ...rest } = await begun();
  keeper.socket.say(READY);
  await vi.waitFor(() => expect(keeper.isConnected).toBe(true));
  return { keeper, ...rest };
}

describe("Discord's gateway", () => {
  it("identifies with what it wants to hear, and remembers the session", async () => {
    const { keeper } = await ready();
    expect(keeper.socket.url).toBe("wss://gateway.discord.test/?v=10&encoding=json");
    const intents = 1 + (1 << 9) + (1 << 12) + (1 << 15);
    expect(keeper.socket.sent[0]).toMatchObject({ op: 2, d: { token: "a.bot.token", intents } });
    expect(keeper.mind).toEqual({
      sessionId: "s1",
      resumeUrl: "wss://resume.discord.test",
      sequence: 1,
    });
    keeper.end();
  });

  it("goes on with a session behind what is stored, without another beginning", async () => {
    const { keeper, calls } = await begun(REMEMBERED);
    expect(keeper.socket.url).toBe("wss://resume.discord.test/?v=10&encoding=json");
    expect(keeper.socket.sent[0]).toEqual({
      op: 6,
      d: { token: "a.bot.token", session_id: "s0", seq: 41 },
    });
    keeper.socket.say(message(42, "missed"), { op: 0, s: 43, t: "RESUMED", d: {} });
    await vi.waitFor(() => expect(keeper.isConnected).toBe(true));
    expect(keeper.received).toMatchObject([{ text: "missed" }]);
    expect(keeper.mind).toMatchObject({ sessionId: "s0", sequence: 43 });
    expect(calls).toEqual([]);
    keeper.end();
  });

  it("remembers how far it came only once that is stored", async () => {
    const { keeper, ended } = await ready();
    keeper.socket.say(message(2, "one"));
    await vi.waitFor(() => expect(keeper.mind).toMatchObject({ sequence: 2 }));
    keeper.refusal = new Error("The database is down");
    keeper.socket.say(message(3, "two"));
    await expect(ended).rejects.toThrow("The database is down");
    expect(keeper.mind).toMatchObject({ sequence: 2 });
  });

  it("sends heartbeats with the last number, the first after a part of the interval", async () => {
    const { keeper } = await ready();
    const [first = 0] = keeper.sleeps;
    expect(first).toBeLessThanOrEqual(40_000);
    keeper.wake();
    await vi.waitFor(() => expect(keeper.socket.sent.at(-1)).toEqual({ op: 1, d: 1 }));
    expect(keeper.sleeps).toEqual([40_000]);
    keeper.socket.say({ op: 11 }, message(2, "one"));
    await vi.waitFor(() => expect(keeper.received).toHaveLength(1));
    keeper.wake();
    await vi.waitFor(() => expect(keeper.socket.sent.at(-1)).toEqual({ op: 1, d: 2 }));
    keeper.end();
  });

  it("answers a request for a heartbeat at once", async () => {
    const { keeper } = await ready();
    keeper.socket.say({ op: 1 });
    await vi.waitFor(() => expect(keeper.socket.sent.at(-1)).toEqual({ op: 1, d: 1 }));
    keeper.end();
  });

  it("closes a socket whose heartbeat was not acknowledged, and keeps the session", async () => {
    const { keeper, ended } = await ready();
    keeper.wake();
    await vi.waitFor(() => expect(keeper.sleeps).toEqual([40_000]));
    keeper.wake();
    await ended;
    expect(keeper.socket.closed).toMatchObject({ code: 4000 });
    expect(keeper.mind).toMatchObject({ sessionId: "s1" });
  });

  it.each([
    ["a request to connect again", { op: 7 }, { sessionId: "s1" }],
    ["an interruption", { op: 9, d: true }, { sessionId: "s1" }],
  ])("ends after %s, with its session", async (_name, frame, mind) => {
    const { keeper, ended } = await ready();
    keeper.socket.say(frame);
    await ended;
    expect(keeper.socket.closed).toMatchObject({ code: 4000 });
    expect(keeper.mind).toMatchObject(mind);
  });

  it("forgets a session that Discord does not know, and waits before it begins another", async () => {
    const { keeper, ended } = await begun(REMEMBERED);
    keeper.socket.say({ op: 9, d: false });
    const failure = await ended.catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: "unreachable" });
    const { retryAfterSeconds } = fieldsOf(failure);
    expect(retryAfterSeconds).toBeGreaterThanOrEqual(1);
    expect(retryAfterSeconds).toBeLessThanOrEqual(5);
    expect(keeper.mind).toEqual({});
  });

  it.each([
    [4000, "connects again", "s1"],
    [1006, "connects again", "s1"],
    [1000, "connects again", "s1"],
    [4008, "connects again", "s1"],
    [4007, "connects again", undefined],
    [4009, "connects again", undefined],
    [4004, "unauthorized", undefined],
    [4010, "refused", undefined],
    [4014, "refused", undefined],
  ])("after a close with %i: %s, with the session %s", async (code, outcome, session) => {
    const { keeper, ended } = await ready();
    keeper.socket.close(code);
    const what = await ended.then(
      () => "connects again",
      (error: unknown) => fieldsOf(error)["kind"],
    );
    expect(what).toBe(outcome);
    expect(fieldsOf(keeper.mind)["sessionId"]).toBe(session);
  });

  it("begins no session when few are left for the day", async () => {
    const { ended, keeper } = connect(undefined, 10);
    await expect(ended).rejects.toMatchObject({ kind: "busy", retryAfterSeconds: 60 });
    expect(keeper.sockets).toEqual([]);
  });

  it("goes on with its session at the first address when the other is gone", async () => {
    const keeper = new ScriptedKeeper(REMEMBERED);
    const environment = scriptedEnvironment(() => {
      keeper.refusesSockets = false;
      const limit = { remaining: 900, reset_after: 60_000 };
      return Response.json({ url: "wss://gateway.discord.test", session_start_limit: limit });
    });
    keeper.refusesSockets = true;
    const ended = connectDiscord({ credentials, self, environment }, keeper);
    await vi.waitFor(() => expect(keeper.sockets).toHaveLength(1));
    keeper.socket.say(HELLO);
    await vi.waitFor(() => expect(keeper.socket.sent[0]).toMatchObject({ op: 6 }));
    keeper.end();
    await ended.catch(() => undefined);
  });

  it("answers interactions over HTTP", async () => {
    const { keeper, calls } = await ready();
    const about = { channel_id: "5", user: { id: "7", username: "ann" } };
    keeper.socket.say(
      {
        op: 0,
        s: 2,
        t: "INTERACTION_CREATE",
        d: { id: "10", token: "t1", type: 2, ...about, data: { name: "ask" } },
      },
      {
        op: 0,
        s: 3,
        t: "INTERACTION_CREATE",
        d: { id: "11", token: "t2", type: 3, ...about, data: { custom_id: "x" }, message: { id: "4" } },
      },
      { op: 0, s: 4, t: "INTERACTION_CREATE", d: { id: "12", token: "t3", type: 2 } },
    );
    await vi.waitFor(() => expect(keeper.received).toHaveLength(2));
    await vi.waitFor(() =>
      expect(calls.slice(1)).toEqual([
        { url: "https://discord.test/api/v10/interactions/10/t1/callback", body: { type: 5 } },
        { url: "https://discord.test/api/v10/interactions/11/t2/callback", body: { type: 6 } },
      ]),
    );
    keeper.end();
  });

  it("closes a socket on which nothing begins", async () => {
    const { keeper, ended } = await begun();
    keeper.look(2);
    await expect(ended).rejects.toMatchObject({ kind: "unreachable" });
  });
});
