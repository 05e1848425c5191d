import { describe, expect, it, vi } from "vitest";
import { connectSlack } from "#src/channels/slack/connection.ts";
import { ScriptedKeeper, scriptedEnvironment } from "../keeper.ts";

const credentials = { bot_token: "xoxb-1", signing_secret: "s", app_token: "xapp-1" };
const self = { botId: "UBOT", botName: "bot" };
const HELLO = { type: "hello", num_connections: 1 };

let nextTicket = 0;
const opened = () =>
  Response.json({ ok: true, url: `wss://wss-primary.slack.test/?ticket=${(nextTicket += 1)}` });

const envelope = (id: string, text: string) => ({
  type: "events_api",
  envelope_id: id,
  payload: {
    type: "event_callback",
    team_id: "T1",
    event: { type: "message", user: "U1", channel: "D1", channel_type: "im", text, ts: `1.${id}` },
  },
});

/** A connection, and what became of it. */
function connect(answer: () => Response = opened, given: object = credentials) {
  const keeper = new ScriptedKeeper();
  const tokens: unknown[] = [];
  const environment = scriptedEnvironment((_url, { headers }) => {
    tokens.push(new Headers(headers).get("authorization"));
    return answer();
  });
  const ended = connectSlack({ credentials: { ...given }, self, environment }, keeper);
  ended.catch(() => undefined);
  return { keeper, ended, tokens };
}

async function greeted() {
  const { keeper, ...rest } = connect();
  await vi.waitFor(() => expect(keeper.sockets).toHaveLength(1));
  keeper.socket.say(HELLO);
  await vi.waitFor(() => expect(keeper.isConnected).toBe(true));
  return { keeper, ...rest };
}

describe("Slack's Socket Mode", () => {
  it("asks for a socket with the app-level token, and is connected once it is greeted", async () => {
    const { keeper, tokens } = connect();
    await vi.waitFor(() => expect(keeper.sockets).toHaveLength(1));
    expect(keeper.socket.url).toMatch(/^wss:\/\/wss-primary\.slack\.test\//u);
    expect(keeper.isConnected).toBe(false);
    expect(tokens).toEqual(["Bearer xapp-1"]);
    keeper.socket.say(HELLO);
    await vi.waitFor(() => expect(keeper.isConnected).toBe(true));
    keeper.end();
  });

  it("acknowledges envelopes that are stored, also those without an event", async () => {
    const { keeper } = await greeted();
    keeper.socket.say(envelope("a", "one"), envelope("b", ""), { type: "events_api", envelope_id: "c" });
    await vi.waitFor(() =>
      expect(keeper.socket.sent).toEqual([{ envelope_id: "a" }, { envelope_id: "b" }, { envelope_id: "c" }]),
    );
    expect(keeper.received).toMatchObject([{ text: "one" }]);
    keeper.end();
  });

  it("does not acknowledge what could not be stored", async () => {
    const { keeper, ended } = await greeted();
    keeper.refusal = new Error("The database is down");
    keeper.socket.say(envelope("a", "one"));
    await expect(ended).rejects.toThrow("The database is down");
    expect(keeper.socket.sent).toEqual([]);
  });

  it("passes over what it cannot read", async () => {
    const { keeper } = await greeted();
    const withoutTeam = { type: "slash_commands", envelope_id: "a", payload: { command: "/ask" } };
    keeper.socket.say("nothing", "[]", "{}", withoutTeam, envelope("b", "two"));
    await vi.waitFor(() => expect(keeper.received).toMatchObject([{ text: "two" }]));
    expect(keeper.socket.sent).toEqual([{ envelope_id: "a" }, { envelope_id: "b" }]);
    keeper.end();
  });

  it.each(["warning", "refresh_requested", "too_many_websockets"])(
    "keeps the socket until the next one is greeted (%s)",
    async (reason) => {
      const { keeper, ended } = await greeted();
      const [first] = keeper.sockets;
      first?.say({ type: "disconnect", reason });
      await vi.waitFor(() => expect(keeper.sockets).toHaveLength(2));
      first?.say(envelope("a", "on the old one"));
      await vi.waitFor(() => expect(keeper.received).toHaveLength(1));
      expect(first?.closed).toBeUndefined();
      keeper.socket.say(HELLO);
      await vi.waitFor(() => expect(first?.closed).toBeDefined());
      keeper.socket.say(envelope("b", "on the new one"));
      await vi.waitFor(() => expect(keeper.received).toHaveLength(2));
      keeper.socket.close(1006);
      await ended;
    },
  );

  it("waits for the next socket when the last one is closed meanwhile", async () => {
    const { keeper, ended } = await greeted();
    keeper.socket.say({ type: "disconnect", reason: "warning" });
    await vi.waitFor(() => expect(keeper.sockets).toHaveLength(2));
    keeper.sockets[0]?.close(1006);
    keeper.socket.say(HELLO, envelope("a", "one"));
    await vi.waitFor(() => expect(keeper.received).toHaveLength(1));
    keeper.end();
    await ended;
  });

  it("replaces a socket that is silent for long, and one that is not greeted", async () => {
    const { keeper } = await greeted();
    keeper.look(9);
    expect(keeper.sockets).toHaveLength(1);
    keeper.look(1);
    await vi.waitFor(() => expect(keeper.sockets).toHaveLength(2));
    keeper.end();

    const silent = connect().keeper;
    await vi.waitFor(() => expect(silent.sockets).toHaveLength(1));
    silent.look(2);
    await vi.waitFor(() => expect(silent.sockets).toHaveLength(2));
    silent.end();
  });

  it.each([
    ["invalid_auth", "unauthorized"],
    ["account_inactive", "unauthorized"],
    ["missing_scope", "refused"],
    ["internal_error", "unreachable"],
  ])("fails after %s as %s", async (error, kind) => {
    const { ended } = connect(() => Response.json({ ok: false, error }));
    await expect(ended).rejects.toMatchObject({ kind });
  });

  it("waits as long as Slack says", async () => {
    const { ended } = connect(() => new Response("", { status: 429, headers: { "retry-after": "30" } }));
    await expect(ended).rejects.toMatchObject({ kind: "busy", retryAfterSeconds: 30 });
  });

  it("stops without an app-level token, and when Socket Mode is switched off", async () => {
    await expect(connect(opened, { bot_token: "xoxb-1" }).ended).rejects.toMatchObject({ kind: "refused" });
    const { keeper, ended } = await greeted();
    keeper.socket.say({ type: "disconnect", reason: "link_disabled" });
    await expect(ended).rejects.toMatchObject({ kind: "refused" });
  });

  it("opens no socket without encryption", async () => {
    const { ended, keeper } = connect(() =>
      Response.json({ ok: true, url: "ws://wss.slack.test/?ticket=1" }),
    );
    await expect(ended).rejects.toMatchObject({ kind: "unreachable" });
    expect(keeper.sockets).toEqual([]);
  });
});
