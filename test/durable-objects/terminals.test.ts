import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import { FrameStore } from "#durable-objects/terminals/frame-store.ts";
import { terminals } from "#src/platform/objects/terminals.ts";
import { newTrips } from "#src/platform/trips.ts";
import { bindings } from "./support/bindings.ts";

const namespace = bindings.TERMINALS;
const clients = terminals(namespace, newTrips());
const newId = () => crypto.randomUUID();

/** A client of a user. The database is away here, and for a while that does not end a connection. */
async function open(userId: string, { projectId = null, after = null }: Partial<Input> = {}) {
  const { webSocket: socket } = await clients.open({
    userId,
    userName: "Someone",
    standing: { kind: "key", keyHash: newId() },
    keyId: newId(),
    projectId,
    channelId: newId(),
    after,
  });
  if (!socket) throw new Error("There is no socket");
  const frames: { id?: number; type: string; text?: string }[] = [];
  const closed = new Promise<number>((resolve) =>
    socket.addEventListener("close", ({ code }) => resolve(code)),
  );
  const connected = Promise.withResolvers<unknown>();
  socket.addEventListener("message", ({ data }) => {
    const frame = JSON.parse(String(data));
    if (frame.type === "status") connected.resolve(frame);
    else frames.push(frame);
  });
  socket.accept();
  return { socket, frames, closed, connected: await connected.promise };
}
interface Input {
  projectId: string | null;
  after: number | null;
}

const message = (text: string) => ({ type: "message", text });

describe("the command-line clients of a user", () => {
  it("get what is pushed, also after an eviction; clients of other users do not", async () => {
    const user = newId();
    const [one, two, other] = [await open(user), await open(user), await open(newId())];
    const first = await clients.push(user, message("one"));
    await evictDurableObject(namespace.getByName(user));
    const second = await clients.push(user, message("two"));
    expect(second).toBeGreaterThan(first);
    const expected = [
      { id: first, ...message("one") },
      { id: second, ...message("two") },
    ];
    await vi.waitFor(() => expect(one.frames).toHaveLength(2));
    await vi.waitFor(() => expect(two.frames).toHaveLength(2));
    expect([one.frames, two.frames, other.frames]).toEqual([expected, expected, []]);
  });

  it("get what they missed, in order and once, also where it was pushed twice or they name what does not exist", async () => {
    const user = newId();
    const first = await clients.push(user, message("0"));
    const texts = Array.from({ length: 120 }, (_, index) => String(index + 1));
    const push = (text: string) => clients.push(user, { ...message(text), nonce: text });
    for (const text of texts) expect(await push(text)).toBe(await push(text));
    await evictDurableObject(namespace.getByName(user));
    const back = await open(user, { after: first });
    const fresh = await open(user, { after: Number.MAX_SAFE_INTEGER });
    expect(fresh.connected).toEqual({ type: "status", status: "connected", last_id: expect.any(Number) });
    await clients.push(user, message("last"));
    await vi.waitFor(() => expect(fresh.frames.map(({ text }) => text)).toEqual(["last"]));
    await vi.waitFor(() => expect(back.frames.map(({ text }) => text)).toEqual([...texts, "last"]));
    const ids = back.frames.map(({ id = 0 }) => id);
    expect(ids).toEqual(ids.toSorted((one, other) => one - other));
  });

  it("get typing and tools only while they are connected", async () => {
    const user = newId();
    const { frames } = await open(user);
    expect(await clients.push(user, { type: "typing" })).toBe(0);
    expect(await clients.push(user, { type: "tool", text: "reads a file" })).toBe(0);
    const id = await clients.push(user, message("done"));
    await vi.waitFor(() => expect(frames.map(({ type }) => type)).toContain("message"));
    await vi.waitFor(() => expect(frames).toHaveLength(3));
    const late = await open(user, { after: 0 });
    await vi.waitFor(() => expect(late.frames).toEqual([{ id, ...message("done") }]));
  });

  it("get what is said of their key's project, and nothing of others", async () => {
    const [user, project] = [newId(), newId()];
    const bound = await open(user, { projectId: project });
    const foreign = await open(user, { projectId: newId() });
    const free = await open(user);
    await clients.push(user, { ...message("of the project"), project_id: project });
    await clients.push(user, message("of none"));
    await vi.waitFor(() => expect(bound.frames.map(({ text }) => text)).toEqual(["of the project"]));
    await vi.waitFor(() => expect(free.frames.map(({ text }) => text)).toEqual(["of none"]));
    const late = await open(user, { projectId: newId(), after: 0 });
    late.socket.send('{"type": "ping"}');
    await vi.waitFor(() => expect(late.frames).toEqual([{ type: "pong" }]));
    expect(foreign.frames).toEqual([]);
  });

  it("are at most fifty, whose places are free once they have left", async () => {
    const user = newId();
    const first = await open(user);
    for (let count = 1; count < 50; count += 1) await open(user);
    await expect(open(user)).rejects.toMatchObject({ code: "conflict" });
    first.socket.close();
    await vi.waitFor(() => open(user));
  });

  it("are told what is wrong with their frames, and closed for what is too large", async () => {
    const { socket, frames, closed } = await open(newId());
    for (const frame of ['{"type":"message"}', '{"text":"x","client_id":7}', "  "]) socket.send(frame);
    await vi.waitFor(() => expect(frames).toHaveLength(3));
    for (const frame of frames) expect(frame).toMatchObject({ type: "error", code: "invalid_input" });
    socket.send("é".repeat(8 * 1024 + 1));
    expect(await closed).toBe(1008);
  });

  it("that stop reading are closed, and get the rest when they are back", async () => {
    const user = newId();
    const { frames, closed } = await open(user);
    const text = "x".repeat(1024 * 1024);
    for (let count = 0; count < 12; count += 1) await clients.push(user, message(text));
    expect(await closed).toBe(1013);
    expect(frames.length).toBeLessThan(12);
    const back = await open(user, { after: frames.at(-1)?.id ?? 0 });
    await vi.waitFor(() => expect(frames.length + back.frames.length).toBe(12));
  });
});

describe("stored frames", () => {
  const DAY_MS = 24 * 60 * 60 * 1000;
  const frame = { body: "{}", projectId: null, nonce: null };

  /** The store of an object that keeps nothing else. */
  const inStore = <T>(act: (store: FrameStore) => T) =>
    runInDurableObject(namespace.getByName(newId()), async (object, { storage }) => {
      await object.push({ ...frame, projectId: "other", isTransient: false });
      return act(new FrameStore(storage.sql));
    });

  it("are the last thousand of each project", async () => {
    const [kept, others] = await inStore((store) => {
      const ids = Array.from({ length: 1_005 }, () => store.add(frame, Date.now()));
      const pages: number[] = [];
      for (
        let page = store.pageAfter(0, null);
        page.length > 0;
        page = store.pageAfter(pages.at(-1) ?? 0, null)
      ) {
        pages.push(...page.map(({ id }) => id));
      }
      expect(pages).toEqual(ids.slice(5));
      return [pages.length, store.pageAfter(0, "other").length];
    });
    expect([kept, others]).toEqual([1_000, 1]);
  });

  it("are kept for seven days, and their ids go on afterwards", async () => {
    await inStore((store) => {
      const now = Date.now();
      const id = store.add(frame, now);
      expect(store.forget(now + 7 * DAY_MS - 1)).toBeDefined();
      expect(store.forget(now + 8 * DAY_MS)).toBeUndefined();
      expect(store.lastId).toBe(0);
      expect(store.add(frame, now + 8 * DAY_MS)).toBeGreaterThan(id);
    });
  });

  it("leave nothing behind once they are forgotten and no client is connected", async () => {
    const stub = namespace.getByName(newId());
    await stub.push({ ...frame, isTransient: false });
    await runInDurableObject(stub, (_, { storage }) => {
      storage.sql.exec("UPDATE frame SET at = 0");
    });
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    await runInDurableObject(stub, (_, { storage }) => {
      expect(storage.sql.exec("SELECT name FROM sqlite_schema WHERE name = 'frame'").toArray()).toEqual([]);
    });
    expect(await stub.push({ ...frame, isTransient: false })).toBeGreaterThan(0);
  });
});
