import { describe, expect, it, vi } from "vitest";
import { connectSignal } from "#src/channels/signal/connection.ts";
import { eventsIn } from "#src/channels/signal/event-stream.ts";
import { ScriptedKeeper, scriptedEnvironment } from "../keeper.ts";

const NUMBER = "+4915100000000";
const credentials = { signal_cli_url: "https://bridge.test/signal", phone_number: NUMBER };
const self = { botId: NUMBER, botName: undefined };
const RECEIVE = `https://bridge.test/signal/v1/receive/${encodeURIComponent(NUMBER)}`;

const envelope = (timestamp: number, text: string) => ({
  account: NUMBER,
  envelope: { sourceUuid: "ann", sourceName: "Ann", timestamp, dataMessage: { message: text } },
});
const typing = { account: NUMBER, envelope: { sourceUuid: "ann", timestamp: 9, typingMessage: {} } };

function connect(answer: (url: URL, init: RequestInit) => Response | Promise<Response>) {
  const keeper = new ScriptedKeeper();
  const asked: string[] = [];
  const environment = scriptedEnvironment((url, init) => {
    asked.push(url);
    return answer(new URL(url), init);
  });
  const ended = connectSignal({ credentials, self, environment }, keeper);
  ended.catch(() => undefined);
  return { keeper, ended, asked };
}

/** An answer that the test writes to. */
function streamed() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  return {
    response: new Response(readable, { headers: { "content-type": "text/event-stream" } }),
    write: (text: string) => writer.write(new TextEncoder().encode(text)),
    end: () => writer.close(),
    isClosed: () =>
      writer.closed.then(
        () => true,
        () => true,
      ),
  };
}

const refused = () => new Response('Bad Request\n{"error":"websocket: not a handshake"}', { status: 400 });

describe("Signal's bridge by WebSocket", () => {
  it("is asked for a socket where it refuses other requests", async () => {
    const { keeper } = connect(refused);
    await vi.waitFor(() => expect(keeper.isConnected).toBe(true));
    expect(keeper.socket.url).toBe(RECEIVE);
    keeper.socket.say(envelope(1, "one"), typing, "nothing", envelope(2, "two"));
    await vi.waitFor(() => expect(keeper.received).toMatchObject([{ text: "one" }, { text: "two" }]));
    keeper.end();
  });

  it("opens the next socket before the last one is closed", async () => {
    const { keeper, ended } = connect(refused);
    await vi.waitFor(() => expect(keeper.isConnected).toBe(true));
    keeper.look(7);
    expect(keeper.sockets).toHaveLength(1);
    keeper.look(1);
    await vi.waitFor(() => expect(keeper.sockets).toHaveLength(2));
    await vi.waitFor(() => expect(keeper.sockets[0]?.closed).toBeDefined());
    keeper.socket.say(envelope(1, "one"));
    await vi.waitFor(() => expect(keeper.received).toHaveLength(1));
    keeper.socket.close(1006);
    await ended;
  });

  it("keeps the last socket while the next one cannot be opened", async () => {
    const { keeper } = connect(refused);
    await vi.waitFor(() => expect(keeper.isConnected).toBe(true));
    keeper.refusesSockets = true;
    keeper.look(8);
    keeper.socket.say(envelope(1, "one"));
    await vi.waitFor(() => expect(keeper.received).toHaveLength(1));
    expect(keeper.socket.closed).toBeUndefined();
    keeper.end();
  });
});

describe("Signal's bridge by an event stream", () => {
  it("is read as it arrives, and replaced before an answer may end", async () => {
    const streams = [streamed(), streamed()];
    let next = 0;
    const { keeper, ended } = connect(() => {
      next += 1;
      return streams[next - 1]?.response ?? new Response(null, { status: 500 });
    });
    await vi.waitFor(() => expect(keeper.isConnected).toBe(true));
    await streams[0]?.write(`:\n\nevent: receive\ndata:${JSON.stringify(envelope(1, "one"))}\n\n`);
    await vi.waitFor(() => expect(keeper.received).toMatchObject([{ text: "one" }]));
    keeper.look(8);
    await expect(streams[0]?.isClosed()).resolves.toBe(true);
    await streams[1]?.write(`data: ${JSON.stringify(envelope(2, "two"))}\n\n`);
    await vi.waitFor(() => expect(keeper.received).toHaveLength(2));
    await streams[1]?.end();
    await ended;
  });

  it("splits events wherever the network cuts", async () => {
    const stream = streamed();
    const read = (async () => {
      const all: string[] = [];
      const { body } = stream.response;
      for await (const data of eventsIn(body ?? new ReadableStream(), new AbortController().signal)) {
        all.push(...data);
      }
      return all;
    })();
    for (const letter of ": hi\n\ndata: ä\ndata:b\n\nid: 1\r\ndata:c\r\n\r\ndata:lost")
      await stream.write(letter);
    await stream.end();
    await expect(read).resolves.toEqual(["ä\nb", "c"]);
  });
});

describe("Signal's bridge by polls", () => {
  it("waits for the first message alone, then fetches what came with it", async () => {
    const answers = [[], [envelope(1, "one")], [envelope(2, "two"), typing], []];
    const { keeper, ended, asked } = connect(() => {
      const answer = answers.shift();
      if (!answer) keeper.end();
      return Response.json(answer ?? []);
    });
    await ended;
    expect(keeper.isConnected).toBe(true);
    expect(keeper.received).toMatchObject([{ text: "one" }, { text: "two" }]);
    const idle = `${RECEIVE}?timeout=30&max_messages=1`;
    const busy = `${RECEIVE}?timeout=1`;
    expect(asked).toEqual([busy, idle, busy, busy, idle]);
  });

  it.each([
    [() => new Response("not found", { status: 404 }), "refused"],
    [() => new Response("<html>", { headers: { "content-type": "text/html" } }), "unreachable"],
    [() => Response.json({ error: "User +49 is not registered" }, { status: 400 }), "unauthorized"],
    [() => new Response("", { status: 502 }), "unreachable"],
    [() => Promise.reject(new Error("no network")), "unreachable"],
  ])("fails after %s as %s", async (answer, kind) => {
    await expect(connect(answer).ended).rejects.toMatchObject({ kind });
  });
});
