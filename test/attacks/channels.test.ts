import { describe, expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTeamClient } from "#test/support/team-client.ts";

const BASES = ["/api/channels", "/api/channels/configs"] as const;
const MISSING = { status: 404, body: { detail: "Channel config not found" } };

const service = sharedService();

interface Channel {
  id: string;
  name: string;
}

const as = <T = Channel>({ token }: Account, method: string, path: string, json?: unknown) =>
  service.call<T>(method, path, { token, ...(json !== undefined && { json }) });

async function connected(owner: Account, wish: object): Promise<Channel> {
  const { status, text, body } = await as(owner, "POST", "/api/channels", wish);
  if (status !== 200) throw new Error(`The channel was not made: ${text}`);
  return body;
}

describe("a channel", () => {
  it("about a project needs the permission to manage channels there", async () => {
    const { owner, join } = await newTeamClient(service);
    const { id: projectId } = await service.newProject(owner.token);
    const wish = { channel_type: "cli", project_id: projectId };
    const viewer = await join("viewer");
    expect((await as(viewer, "POST", "/api/channels", wish)).status).toBe(403);
    const stranger = await service.signUp();
    expect((await as(stranger, "POST", "/api/channels", wish)).status).toBe(404);
    const own = await connected(stranger, { channel_type: "cli" });
    const move = { project_id: projectId };
    expect((await as(stranger, "PATCH", `/api/channels/${own.id}`, move)).status).toBe(404);
    const editor = await join("editor");
    expect((await as(editor, "POST", "/api/channels", wish)).status).toBe(200);
  });
});

describe("another person", () => {
  it("neither reads, changes, tests nor lists the messages of a channel, and nor does a key", async () => {
    const owner = await service.signUp();
    const { id, name } = await connected(owner, { channel_type: "cli" });
    const { body: before } = await as(owner, "GET", `/api/channels/${id}`);
    const stranger = await service.signUp();
    const { key } = await service.newKey(owner.token);
    const requests = BASES.flatMap((base): [string, string, unknown?][] => [
      ["GET", `${base}/${id}`],
      ["PATCH", `${base}/${id}`, { name: "Mine" }],
      ["POST", `${base}/${id}/rotate-secret`],
      ["POST", `${base}/${id}/test`, { jid: "self" }],
      ["GET", `${base}/${id}/messages`],
      ["DELETE", `${base}/${id}`],
    ]);
    for (const [method, path, json] of requests) {
      expect(await as(stranger, method, path, json)).toMatchObject(MISSING);
      expect((await as({ ...owner, token: key }, method, path, json)).status).toBe(401);
      const unknown = path.replace(id, crypto.randomUUID());
      expect(await as(owner, method, unknown, json)).toMatchObject(MISSING);
    }
    expect((await as<unknown[]>(stranger, "GET", "/api/channels")).body).toEqual([]);
    expect(before.name).toBe(name);
    expect((await as(owner, "GET", `/api/channels/${id}`)).body).toEqual(before);
  });
});
