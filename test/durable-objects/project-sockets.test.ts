import { evictDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import { showOutput } from "#durable-objects/project-sockets/show-output.ts";
import { wholeCharacters } from "#durable-objects/project-sockets/whole-characters.ts";
import { AppError } from "#src/lib/errors.ts";
import { projectNotices } from "#src/platform/objects/project-notices.ts";
import { projectSockets } from "#src/platform/objects/project-sockets.ts";
import { newTrips } from "#src/platform/trips.ts";
import { bindings } from "./support/bindings.ts";

const namespace = bindings.PROJECT_SOCKETS;
const sockets = projectSockets(namespace, newTrips());
const notices = projectNotices(namespace, newTrips());

/** A socket beside a chat: it asks nothing of a database until a terminal is opened. */
async function open(project: string, userId: string, accept: WebSocketAcceptOptions = {}) {
  const { webSocket: socket } = await sockets.open(project, {
    kind: "chat",
    userId,
    standing: { kind: "user", userId, sessionId: crypto.randomUUID() },
    wish: { target: null, session: null, position: null, columns: 80, rows: 24 },
  });
  if (!socket) throw new Error("There is no socket");
  const frames: unknown[] = [];
  const closed = new Promise<number>((resolve) =>
    socket.addEventListener("close", ({ code }) => resolve(code)),
  );
  socket.addEventListener("message", ({ data }) => void frames.push(JSON.parse(String(data))));
  socket.accept(accept);
  return { socket, frames, closed };
}

const notice = { type: "environment_stopping", message: "The project is being stopped" } as const;

describe("the sockets of a project", () => {
  it("are told what happens to it, also after an eviction; sockets of other projects are not", async () => {
    const [project, user] = [crypto.randomUUID(), crypto.randomUUID()];
    const [one, two] = [await open(project, user), await open(project, user)];
    const other = await open(crypto.randomUUID(), user);
    await evictDurableObject(namespace.getByName(project));
    await notices.send(project, notice);
    await vi.waitFor(() => expect([...one.frames, ...two.frames]).toHaveLength(2));
    expect(one.frames).toEqual([{ type: "status_update", payload: notice }]);
    expect(other.frames).toEqual([]);
  });

  it("are at most fifty of one person", async () => {
    const [project, user] = [crypto.randomUUID(), crypto.randomUUID()];
    for (let count = 0; count < 50; count += 1) await open(project, user);
    const onemore = await open(project, user);
    expect(await onemore.closed).toBe(1008);
    const another = await open(project, crypto.randomUUID());
    another.socket.send('{"type":"ping"}');
    await vi.waitFor(() => expect(another.frames).toEqual([{ type: "pong" }]));
  });

  it("keep their places until their clients have answered a close", async () => {
    const [project, user] = [crypto.randomUUID(), crypto.randomUUID()];
    for (let count = 0; count < 49; count += 1) await open(project, user);
    const silent = await open(project, user, { allowHalfOpen: true });
    silent.socket.send("x".repeat(64 * 1024 + 1));
    expect(await silent.closed).toBe(1008);
    /** What one more is told first. */
    const answer = async () => {
      const { socket, frames } = await open(project, user);
      socket.send('{"type":"ping"}');
      await vi.waitFor(() => expect(frames).not.toEqual([]));
      return frames[0];
    };
    expect(await answer()).toMatchObject({ type: "error", message: expect.stringContaining("Too many") });
    silent.socket.close();
    await vi.waitFor(async () => expect(await answer()).toEqual({ type: "pong" }));
  });

  it("are told of what they cannot take, and closed for what is too large", async () => {
    const { socket, frames, closed } = await open(crypto.randomUUID(), crypto.randomUUID());
    for (const frame of ["not JSON", '{"type":"nothing"}', '{"type":"resize","cols":0,"rows":1}']) {
      socket.send(frame);
    }
    await vi.waitFor(() => expect(frames).toHaveLength(3));
    expect(frames[0]).toMatchObject({ type: "error", message: expect.stringContaining("Not a frame") });
    socket.send("x".repeat(64 * 1024 + 1));
    expect(await closed).toBe(1008);
  });
});

describe("output", () => {
  const bytes = new TextEncoder().encode("aß€😀");

  /** One byte at a time, then the end. */
  const at = (position: number) => ({
    data: bytes.slice(position, position + 1),
    start: position,
    end: Math.min(position + 1, bytes.length),
    ended: position >= bytes.length,
    exitCode: position >= bytes.length ? 7 : null,
  });

  it("is cut between characters only", () => {
    const cuts = Array.from(bytes, (_, index) => wholeCharacters(bytes.subarray(0, index + 1)));
    expect(cuts).toEqual([1, 1, 3, 3, 3, 6, 6, 6, 6, 10]);
    expect(wholeCharacters(new Uint8Array([0x80, 0x80, 0x80, 0x80]))).toBe(4);
  });

  it("comes whole and once, in whatever parts it was put out, and over failures", async () => {
    let failures = 2;
    const shells = {
      readShell: async (_: string, position: number) => {
        if (position === 4 && failures-- > 0) throw new AppError("unavailable", "Not now");
        return at(position);
      },
      watchShell: async () => new Blob([]).stream(),
    };
    const shown: [string, number][] = [];
    const exitCode = await showOutput(shells, "id", {
      position: 0,
      signal: new AbortController().signal,
      show: async (text, position) => void shown.push([text, position]),
    });
    expect(exitCode).toBe(7);
    expect(shown).toEqual([
      ["a", 1],
      ["ß", 3],
      ["€", 6],
      ["😀", 10],
    ]);
  });
});
