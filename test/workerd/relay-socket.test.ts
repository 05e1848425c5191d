import { describe, expect, it } from "vitest";
import { relaySocket } from "#src/platform/objects/relay-socket.ts";

type Ending = Pick<CloseEvent, "code" | "reason">;

/** The two ends of a relay: that of the object and that of the client. */
function open() {
  const { 0: held, 1: object } = new WebSocketPair();
  const { webSocket: client } = relaySocket(held);
  if (!client) throw new Error("There is no socket");
  return { object: listen(object), client: listen(client) };
}

function listen(socket: WebSocket) {
  const seen: unknown[] = [];
  socket.binaryType = "arraybuffer";
  socket.addEventListener("message", ({ data }) => void seen.push(data));
  const closed = new Promise<Ending>((resolve) =>
    socket.addEventListener("close", ({ code, reason }) => resolve({ code, reason })),
  );
  socket.accept();
  return { socket, seen, closed };
}

describe("a relayed socket", () => {
  it("hands on what each side sends, in order, up to its close", async () => {
    const { object, client } = open();
    client.socket.send("one");
    client.socket.send(new Uint8Array([1, 2]));
    object.socket.send("welcome");
    object.socket.send("bye");
    object.socket.close(4401, "auth_failed");
    expect(await client.closed).toEqual({ code: 4401, reason: "auth_failed" });
    expect(client.seen).toEqual(["welcome", "bye"]);
    // The client's answer comes back as it is.
    expect(await object.closed).toEqual({ code: 4401, reason: "auth_failed" });
    expect(object.seen).toEqual(["one", new Uint8Array([1, 2]).buffer]);
  });

  it("ends for both when the client leaves, with words or without", async () => {
    const one = open();
    one.client.socket.close(1001, "moved on");
    expect(await one.object.closed).toEqual({ code: 1001, reason: "moved on" });
    expect(await one.client.closed).toMatchObject({ code: 1001 });
    const other = open();
    other.client.socket.close();
    expect(await other.object.closed).toMatchObject({ code: 1000 });
    await other.client.closed;
  });
});
