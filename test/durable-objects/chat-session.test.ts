import { env } from "cloudflare:workers";
import { evictDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { checkEnv } from "#src/env.ts";
import { chatSessions } from "#src/platform/objects/chat-sessions.ts";
import { newTrips } from "#src/platform/trips.ts";

const checked = checkEnv(env);
if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
const namespace = checked.env.CHAT_SESSION;
const sessions = chatSessions(namespace, newTrips());

describe("the turns of a chat", () => {
  it("go to one task at a time, first come, first served", async () => {
    const chat = crypto.randomUUID();
    expect(await sessions.enqueue(chat, "a")).toBe("running");
    expect(await sessions.enqueue(chat, "b")).toBe("queued");
    expect(await sessions.enqueue(chat, "c")).toBe("queued");
    expect(await sessions.finish(chat, "a")).toBe("b");
    expect(await sessions.finish(chat, "b")).toBe("c");
    expect(await sessions.finish(chat, "c")).toBeUndefined();
  });

  it("go to those that wait in the order in which they were made, whichever request got here first", async () => {
    const chat = crypto.randomUUID();
    expect(await sessions.enqueue(chat, "c")).toBe("running");
    expect(await sessions.enqueue(chat, "b")).toBe("queued");
    expect(await sessions.enqueue(chat, "a")).toBe("queued");
    expect(await sessions.enqueue(chat, "c")).toBe("running");
    expect(await sessions.finish(chat, "c")).toBe("a");
    expect(await sessions.finish(chat, "a")).toBe("b");
  });

  it("stay as they are when a request is repeated, and over eviction", async () => {
    const chat = crypto.randomUUID();
    await sessions.enqueue(chat, "a");
    await sessions.enqueue(chat, "b");
    await evictDurableObject(namespace.getByName(chat));
    expect(await sessions.enqueue(chat, "a")).toBe("running");
    expect(await sessions.enqueue(chat, "b")).toBe("queued");
    expect(await sessions.finish(chat, "a")).toBe("b");
    expect(await sessions.finish(chat, "a")).toBe("b");
  });

  it("pass over a waiting task that was cancelled", async () => {
    const chat = crypto.randomUUID();
    await sessions.enqueue(chat, "a");
    await sessions.enqueue(chat, "b");
    await sessions.enqueue(chat, "c");
    expect(await sessions.finish(chat, "b")).toBe("a");
    expect(await sessions.finish(chat, "a")).toBe("c");
  });
});
