import type { api } from "@agent-workspace/client";
import { describe, expect, it } from "vitest";
import { messages as stored } from "#src/db/schema/index.ts";
import { SEARCHED } from "#src/domain/agent-work/chats/index.ts";
import { newId } from "#src/lib/ids.ts";
import { newChatClient } from "#test/support/chat-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { script } from "#test/support/task-client.ts";

const service = sharedService();

const client = await newChatClient(service);
const elsewhere = await newChatClient(service, { account: client.account });
const chatId = (await client.call<{ id: string }>("POST", "/api/chat", { project_id: client.projectId })).body
  .id;
for (const text of ["A Möbius strip", `${"x".repeat(500)} the needle ${"y".repeat(500)}`, "100%_sure"]) {
  await client.ask(script({ text }), { chat_id: chatId });
}
const json = { project_id: elsewhere.projectId, title: "On NEEDLES and \\pins" };
const titled = (await elsewhere.call<{ id: string }>("POST", "/api/chat", json)).body.id;
await elsewhere.call("PATCH", `/api/chat/${titled}/update`, { title: json.title });

const search = async (q: string, query = "", token = client.account.token) => {
  const path = `/api/chat/search?${new URLSearchParams({ q })}${query}`;
  const { status, body, headers } = await service.call<api.ChatSearchHit[]>("GET", path, { token });
  expect(status).toBe(200);
  return { body, next: headers.get("x-next-cursor") };
};

describe("a search", () => {
  it("finds titles and messages in any case, newest first, with the words around them", async () => {
    const { body, next } = await search("nEEdle");
    expect(body).toMatchObject([
      { chat_id: titled, project_id: elsewhere.projectId, title: "On NEEDLES and \\pins", message_id: null },
      { chat_id: chatId, project_id: client.projectId, role: "assistant", message_id: expect.any(String) },
      { chat_id: chatId, role: "user" },
    ]);
    expect(body[0]).toMatchObject({ role: null, cursor: null, excerpt: "On NEEDLES and \\pins" });
    expect(next).toBeNull();
    for (const { excerpt } of body) {
      expect(excerpt.length).toBeLessThanOrEqual(200);
      expect(excerpt).toMatch(/needle/iu);
    }
    expect(body[1]?.excerpt).toContain("xx the needle yy");
  });

  it("names the page of the chat that ends with the message", async () => {
    // The agent's title may have the word, too.
    const body = (await search("Möbius")).body.filter(({ message_id }) => message_id !== null);
    expect(body.map(({ role }) => role)).toEqual(["assistant", "user"]);
    for (const { cursor, message_id } of body) {
      const page = await client.call<{ id: string }[]>(
        "GET",
        `/api/chat/session/${chatId}/messages?limit=2&cursor=${cursor}`,
      );
      expect(page.body.map(({ id }) => id)).toContain(message_id);
    }
  });

  it("comes in pages", async () => {
    const whole = await search("needle");
    const first = await search("needle", "&limit=2");
    const second = await search("needle", `&limit=2&cursor=${first.next}`);
    expect([...first.body, ...second.body]).toEqual(whole.body);
    expect(second.next).toBeNull();
  });

  it("takes signs as they are written", async () => {
    for (const q of ["_s", "0%_", "\\p", "'; --", "mö_ius"]) {
      const { body } = await search(q);
      for (const { excerpt } of body) expect(excerpt.toLowerCase()).toContain(q.toLowerCase());
      expect([q, body.length > 0]).toEqual([q, ["0%_", "_s", "\\p"].includes(q)]);
    }
  });

  it("finds nothing for others, and for a key only what is in its projects", async () => {
    const stranger = await service.signUp();
    expect((await search("needle", "", stranger.token)).body).toEqual([]);
    const bound = await service.newKey(client.account.token, elsewhere.projectId);
    const { body } = await search("needle", "", bound.key);
    expect(body.map(({ chat_id }) => chat_id)).toEqual([titled]);
    const other = await service.newKey(client.account.token);
    expect((await search("needle", "", other.key)).body).toHaveLength(3);
  });

  it("reads a bounded part of a chat: its newest messages, and their beginnings", async () => {
    const { messages, characters } = SEARCHED;
    const own = await newChatClient(service);
    const made = await own.call<{ id: string }>("POST", "/api/chat", { project_id: own.projectId });
    const texts = Array.from({ length: messages + 1 }, (_, n) => `word-${n}-end`);
    texts.push(`${"x".repeat(characters)} far-away`);
    await databaseOf(service)
      .insert(stored)
      .values(
        texts.map((content, n) => ({
          id: newId(),
          chatId: made.body.id,
          seq: n + 1,
          role: "user" as const,
          content,
        })),
      );
    const found = async (q: string) => (await search(q, "", own.account.token)).body.length;
    expect(await found("word-1-end")).toBe(0);
    expect(await found("word-2-end")).toBe(1);
    expect(await found("xxx")).toBe(1);
    expect(await found("far-away")).toBe(0);
  });
});
