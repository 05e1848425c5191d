import { expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTeamClient } from "#test/support/team-client.ts";

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

it("a channel about a project needs the permission to manage channels there", async () => {
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
