import type { api } from "@agent-workspace/client";
import { describe, expect, it } from "vitest";
import { newChatClient, type ChatClient } from "#test/support/chat-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { call, script } from "#test/support/task-client.ts";
import { fieldsOf } from "#test/support/fields.ts";

const service = sharedService();

/** A person with two chats in a project. */
async function newScene() {
  const client = await newChatClient(service);
  const newChat = async () =>
    (await client.call<{ id: string }>("POST", "/api/chat/", { project_id: client.projectId })).body.id;
  return { client, mine: await newChat(), other: await newChat(), ...filesOf(client) };
}

function filesOf(client: ChatClient) {
  const { projectId } = client;
  const path = (rest: string) => `/api/projects/${projectId}${rest}`;
  return {
    write: (chat_id: string, file_path: string, content: string) =>
      client.ask(script({ tools: [call("write_file", { file_path, content })] }, { text: "Written." }), {
        chat_id,
        edit_mode: "allow",
      }),
    put: (name: string, content: string) => client.call("PUT", path(`/files/${name}`), { content }),
    read: async (name: string) => {
      const { status, body } = await client.call<{ content: string }>("GET", path(`/files/${name}`));
      return status === 200 ? body.content : status;
    },
    restore: (hash: string) => client.call("POST", path(`/snapshots/${hash}/restore`)),
    undo: (chat: string, query = "") =>
      client.call<api.UndoChatMessageAnswer>("POST", `/api/chat/${chat}/undo${query}`),
  };
}

async function upload({ account }: ChatClient, chat: string, content: string) {
  const form = new FormData();
  form.set("file", new File([content], "keep.txt", { type: "text/plain" }));
  const response = await fetch(`${service.url}/api/chats/${chat}/attachments`, {
    method: "POST",
    headers: { authorization: `Bearer ${account.token}` },
    body: form,
  });
  const { file_path: path } = fieldsOf(await response.json());
  return String(path);
}

describe.concurrent("taking back a message that changed files", () => {
  it("keeps what was uploaded since, and names the snapshot that brings everything else back", async () => {
    const { client, mine, other, write, put, read, undo, restore } = await newScene();
    const early = await upload(client, other, "early");
    await write(mine, "agent.txt", "agent");
    const late = await upload(client, other, "late");
    await put("own.txt", "own");
    const { status, body } = await undo(mine);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { files_reverted: true, snapshot_hash: expect.stringMatching(/^[0-9a-f]{64}$/u) },
    });
    expect(await Promise.all([read("agent.txt"), read("own.txt")])).toEqual([404, 404]);
    expect(await Promise.all([read(early), read(late)])).toEqual(["early", "late"]);
    expect((await restore(body.snapshot_hash ?? "")).status).toBe(200);
    expect(await Promise.all([read("agent.txt"), read("own.txt"), read(late)])).toEqual([
      "agent",
      "own",
      "late",
    ]);
  });

  it("is refused where an agent has changed files in another chat since, unless it is forced", async () => {
    const { mine, other, write, read, undo } = await newScene();
    await write(mine, "mine.txt", "mine");
    await write(other, "other.txt", "other");
    expect(await undo(mine)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("in other chats since") },
    });
    expect(await Promise.all([read("mine.txt"), read("other.txt")])).toEqual(["mine", "other"]);
    expect(await undo(mine, "?force=true")).toMatchObject({ status: 200, body: { files_reverted: true } });
    expect(await Promise.all([read("mine.txt"), read("other.txt")])).toEqual([404, 404]);
  });

  it("is refused with a sentence after the chat was moved, and works once it is back", async () => {
    const { client, mine, write, read, undo } = await newScene();
    await write(mine, "mine.txt", "mine");
    const elsewhere = (await service.newProject(client.account.token)).id;
    const move = (project_id: string) => client.call("PATCH", `/api/chat/${mine}/project`, { project_id });
    expect((await move(elsewhere)).status).toBe(200);
    expect(await undo(mine)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("another project") },
    });
    await move(client.projectId);
    expect((await undo(mine)).status).toBe(200);
    expect(await read("mine.txt")).toBe(404);
  });
});
