import { describe, expect, it, vi } from "vitest";
import { connectTelegram } from "#src/channels/telegram/connection.ts";
import { ScriptedKeeper, scriptedEnvironment } from "../keeper.ts";

const TOKEN = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";
const self = { botId: "110201543", botName: "a_bot" };

const message = (id: number, text: string) => ({
  update_id: id,
  message: {
    message_id: id,
    from: { id: 7, is_bot: false, first_name: "Ann" },
    chat: { id: 7, type: "private" },
    date: 1_700_000_000,
    text,
  },
});

type Answer = { status: number; body: object };
const updates = (...list: object[]): Answer => ({ status: 200, body: { ok: true, result: list } });
const refusal = (status: number, description: string, parameters?: object): Answer => ({
  status,
  body: { ok: false, error_code: status, description, parameters },
});

/** A connection whose requests for updates are answered in turn; then it ends. */
async function poll(keeper: ScriptedKeeper, answers: readonly Answer[]) {
  const asked: { method: string; parameters: Record<string, unknown> }[] = [];
  const left = [...answers];
  const environment = scriptedEnvironment((url, { body }) => {
    const method = url.split("/").at(-1) ?? "";
    asked.push({ method, parameters: JSON.parse(typeof body === "string" ? body : "") });
    if (method !== "getUpdates") return Response.json({ ok: true, result: true });
    const next = left.shift();
    if (!next) keeper.end();
    const { status, body: returned } = next ?? updates();
    return Response.json(returned, { status });
  });
  await connectTelegram({ credentials: { bot_token: TOKEN }, self, environment }, keeper);
  return asked;
}

describe("Telegram's long poll", () => {
  it("removes the webhook, then asks for what it reads, at first without waiting", async () => {
    const keeper = new ScriptedKeeper();
    const [first, second, third] = await poll(keeper, [updates()]);
    expect(first).toEqual({ method: "deleteWebhook", parameters: { drop_pending_updates: false } });
    const allowed = ["message", "edited_message", "callback_query", "my_chat_member"];
    expect(second?.parameters).toMatchObject({ timeout: 0, allowed_updates: allowed });
    expect(second?.parameters).not.toHaveProperty("offset");
    expect(third?.parameters).toMatchObject({ timeout: 30 });
    expect(keeper.isConnected).toBe(true);
  });

  it("confirms updates once they are stored, and remembers how far it came", async () => {
    const keeper = new ScriptedKeeper();
    const asked = await poll(keeper, [updates(message(5, "one"), message(6, "two")), updates()]);
    expect(keeper.received).toMatchObject([{ text: "one" }, { text: "two" }]);
    expect(asked.map(({ parameters }) => parameters["offset"])).toEqual([undefined, undefined, 7, 7]);
    expect(keeper.mind).toEqual({ offset: 7 });
  });

  it("goes on from what it remembers", async () => {
    const asked = await poll(new ScriptedKeeper({ offset: 7 }), []);
    expect(asked[1]?.parameters).toMatchObject({ offset: 7 });
  });

  it("does not confirm what could not be stored", async () => {
    const keeper = new ScriptedKeeper();
    keeper.refusal = new Error("The database is down");
    await expect(poll(keeper, [updates(message(5, "one"))])).rejects.toThrow("The database is down");
    expect(keeper.remembered).toEqual([]);
  });

  it("passes over what it cannot read", async () => {
    const keeper = new ScriptedKeeper();
    await poll(keeper, [updates({ update_id: 5, message: "?" }, { update_id: 6, poll: {} })]);
    expect(keeper.received).toEqual([]);
    expect(keeper.mind).toEqual({ offset: 7 });
  });

  it.each([
    [refusal(401, "Unauthorized"), "unauthorized", undefined],
    [refusal(404, "Not Found"), "unauthorized", undefined],
    [refusal(409, "Conflict: terminated by other getUpdates request"), "unreachable", undefined],
    [refusal(409, "Conflict: can't use getUpdates method while webhook is active"), "unreachable", undefined],
    [refusal(400, "Bad Request: something new"), "unreachable", undefined],
    [refusal(429, "Too Many Requests", { retry_after: 17 }), "busy", 17],
    [refusal(502, "Bad Gateway"), "unreachable", undefined],
  ])("fails after %o as %s", async (answer, kind, retryAfterSeconds) => {
    const failed = poll(new ScriptedKeeper(), [answer]);
    await expect(failed).rejects.toMatchObject({ kind, retryAfterSeconds });
    await expect(failed).rejects.not.toThrow(TOKEN);
  });

  it("ends an open request when it is to end", async () => {
    const keeper = new ScriptedKeeper();
    const isOpen = vi.fn<() => void>();
    const environment = scriptedEnvironment((url, { signal }) => {
      if (!url.endsWith("getUpdates")) return Response.json({ ok: true, result: true });
      isOpen();
      return new Promise((_resolve, reject) =>
        signal?.addEventListener("abort", () => reject(new Error("over"))),
      );
    });
    const connection = connectTelegram({ credentials: { bot_token: TOKEN }, self, environment }, keeper);
    await vi.waitFor(() => expect(isOpen).toHaveBeenCalled());
    keeper.end();
    await expect(connection).rejects.toMatchObject({ kind: "unreachable" });
  });
});
