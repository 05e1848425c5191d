import type { api } from "@agent-workspace/client";
import { createHash } from "node:crypto";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createLog } from "#src/platform/log/log.ts";
import { sweepUploads } from "#src/domain/agent-work/attachments/index.ts";
import { chatAttachments } from "#src/db/schema/index.ts";
import { newChatClient, type ChatClient } from "#test/support/chat-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { openSocket } from "#test/support/socket.ts";
import { call, script } from "#test/support/task-client.ts";

const service = sharedService();
let client: ChatClient;
let chatId: string;
beforeAll(async () => {
  client = await newChatClient(service);
  const { body } = await client.call<{ id: string }>("POST", "/api/chat", { project_id: client.projectId });
  chatId = body.id;
});

const Uploaded = z.looseObject({
  attachment_id: z.string().default(""),
  file_path: z.string().default(""),
  mime_type: z.string().default(""),
});

async function upload(
  name: string,
  content: Uint8Array<ArrayBuffer> | string,
  chat = chatId,
  token = client.account.token,
) {
  const form = new FormData();
  form.set("file", new File([content], name, { type: "text/plain" }));
  const response = await fetch(`${service.url}/api/chats/${chat}/attachments`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: form,
  });
  return {
    status: response.status,
    body: Uploaded.parse(await response.json()),
  };
}

const remove = (id: string) => client.call("DELETE", `/api/chats/${chatId}/attachments/${id}`);
const refusal = async (json: object) =>
  (await client.call("POST", "/api/chat/agent", { chat_id: chatId, message: "x", ...json })).status;
const fileStatus = async (path: string) =>
  (await client.call("GET", `/api/projects/${client.projectId}/files/${path}`)).status;

/** A picture of one pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("an upload", () => {
  it("lies in the project under its hash, and is gone with its file", async () => {
    const { status, body } = await upload("../a note.txt", "hello");
    const sha256 = createHash("sha256").update("hello").digest("hex");
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        attachment_id: expect.any(String),
        file_path: `.chat/${chatId}/uploads/${sha256}-a note.txt`,
        filename: "a note.txt",
        mime_type: expect.stringContaining("text/plain"),
        size_bytes: 5,
        sha256,
      },
    });
    const again = await upload("a note.txt", "hello");
    expect(again.body.file_path).toBe(body.file_path);
    expect(await remove(body.attachment_id)).toMatchObject({ status: 200, body: { ok: true } });
    expect(await fileStatus(body.file_path)).toBe(200);
    await remove(again.body.attachment_id);
    expect(await fileStatus(body.file_path)).toBe(404);
  });

  it("has 25 MiB at most, and leaves nothing where it has more", async () => {
    const more = await upload("more.bin", new Uint8Array(26_214_401));
    expect(more).toMatchObject({
      status: 413,
      body: { code: "file_too_large", max_bytes: 26_214_400, detail: expect.any(String) },
    });
    const { text } = await client.call("GET", `/api/projects/${client.projectId}/files/tree`);
    expect(text).not.toContain(".coming-");
  });

  it("cannot be deleted or sent again once it was sent", async () => {
    const { body } = await upload("sent.txt", "the code is 4711");
    const attachments = [{ type: "file_reference", attachment_id: body.attachment_id }];
    await client.ask("Read it", { chat_id: chatId, attachments });
    expect((await remove(body.attachment_id)).status).toBe(409);
    const again = await client.call("POST", "/api/chat/agent", {
      chat_id: chatId,
      message: "again",
      attachments,
    });
    expect(again).toMatchObject({ status: 404, body: { detail: "Attachment not found" } });
    const { body: messages } = await client.call<api.ChatMessage[]>(
      "GET",
      `/api/chat/session/${chatId}/messages`,
    );
    const { attachment_id, file_path } = body;
    const sent = { type: "file_reference", attachment_id, file_path, label: "sent.txt", size_bytes: 16 };
    expect(messages.at(-2)?.message_metadata).toMatchObject({ attachments: [sent] });
  });

  it("that no message used within a day is swept, with its file", async () => {
    const [old, fresh] = [await upload("old.txt", "old"), await upload("fresh.txt", "fresh")];
    const db = databaseOf(service);
    const yesterday = new Date(Date.now() - 25 * 3_600_000);
    await db
      .update(chatAttachments)
      .set({ createdAt: yesterday })
      .where(eq(chatAttachments.id, old.body.attachment_id));
    await sweep();
    expect(await fileStatus(old.body.file_path)).toBe(404);
    expect(await fileStatus(fresh.body.file_path)).toBe(200);
    expect((await remove(old.body.attachment_id)).status).toBe(404);
    expect((await remove(fresh.body.attachment_id)).status).toBe(200);
  });
});

describe("what comes with a message", () => {
  it("is stored, and the agent finds it", async () => {
    const attachments = [
      { type: "pasted_text", content: "pasted words", label: "notes.md" },
      { type: "image", content: PIXEL, mime_type: "image/png" },
    ];
    const { body: chat } = await client.call<{ id: string }>("POST", "/api/chat", {
      project_id: client.projectId,
    });
    const message = script(
      { tools: [call("bash_exec", { command: "cat .chat/*/uploads/*-notes.md" })] },
      { text: "Read." },
    );
    const text = [attachments[0]];
    const frames = await client.ask(message, { chat_id: chat.id, edit_mode: "allow", attachments: text });
    expect(frames.find(({ type }) => type === "tool_call")?.data).toMatchObject({
      result: { success: true, stdout: expect.stringContaining("pasted words") },
    });
    const withImage = await client.call("POST", "/api/chat/agent", { chat_id: chat.id, attachments });
    expect(withImage.status).toBe(200);
    const { body } = await client.call<api.ChatMessage[]>("GET", `/api/chat/session/${chat.id}/messages`);
    expect(body.findLast(({ role }) => role === "user")?.message_metadata?.["attachments"]).toMatchObject([
      { type: "pasted_text", mime_type: "text/plain", label: "notes.md" },
      { type: "image", mime_type: "image/png", size_bytes: expect.any(Number) },
    ]);
  });

  it("is refused before anything is written", async () => {
    const pasted = { type: "pasted_text", content: "x" };
    const image = { type: "image", mime_type: "image/png" };
    for (const [json, status] of [
      [{ attachments: Array.from({ length: 11 }, () => pasted) }, 422],
      [{ attachments: [{ ...pasted, content: "x".repeat(500_001) }] }, 422],
      [{ attachments: [{ ...image, content: "no base64!" }] }, 400],
      [{ attachments: [{ ...image, content: PIXEL.slice(0, 40) }] }, 400],
      [{ attachments: [{ type: "file_reference", file_path: "../../etc/passwd" }] }, 400],
      [{ message: "x".repeat(10_001) }, 422],
    ] as const) {
      expect([json, await refusal(json)]).toEqual([json, status]);
    }
  });
});

const connect = () => openSocket(service.url, `/ws/chat/${client.projectId}?token=${client.account.token}`);

it("what comes with a message on a socket is refused by the rules of HTTP, and where it is too large with the way to upload it", async () => {
  const socket = await connect();
  const attachments = [{ type: "file_reference", attachment_id: crypto.randomUUID() }];
  socket.send({ message: "hi", attachments });
  expect(await socket.next("error")).toMatchObject({ message: "Attachment not found" });
  const image = { type: "image", content: "a".repeat(70_000), mime_type: "image/png" };
  socket.send({ message: "hi", attachments: [image] });
  const words = expect.stringContaining("POST /api/chats/{chat}/attachments");
  expect(await socket.next("error")).toMatchObject({ message: words });
  expect(await socket.closed).toMatchObject({ code: 1008 });
});

/** What the cron does at night, with the service's database, and its files by its own routes. */
async function sweep(): Promise<void> {
  await sweepUploads({
    db: databaseOf(service),
    log: createLog(),
    workspaces: { runtime: (id) => ({ remove: id === client.projectId ? removeFile : async () => {} }) },
  });
}

async function removeFile(path: string): Promise<void> {
  await client.call("DELETE", `/api/projects/${client.projectId}/files/${path}`);
}
