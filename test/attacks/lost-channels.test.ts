import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { users } from "#src/db/schema/index.ts";
import { PATIENCE } from "#test/support/connected-channels.ts";
import { databaseOf } from "#test/support/database.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { call, script } from "#test/support/task-client.ts";
import { newTeamClient } from "#test/support/team-client.ts";
import { newTelegramChannel, type TelegramChannel } from "#test/support/telegram-channel.ts";

const service = sharedService();

interface View {
  is_active: boolean;
  last_error: string | null;
  connected: boolean;
}

const pathOf = ({ channel }: TelegramChannel) => `/api/channels/${channel.id}`;
const read = async (there: TelegramChannel) =>
  (await service.call<View>("GET", pathOf(there), { token: there.client.account.token })).body;
const change = (there: TelegramChannel, json: object) =>
  service.call<View & { detail: string }>("PATCH", pathOf(there), {
    token: there.client.account.token,
    json,
  });

/** What the webhook said last to the platform, which it has called. */
async function refusalAt({ platform, botId }: TelegramChannel): Promise<string | null> {
  const bots = await platform.ask<{ id: number; lastFailure: string | null }[]>("/bots");
  return bots.find(({ id }) => id === botId)?.lastFailure ?? null;
}

it("a removed editor's bot reads nothing, approves nothing and is not changed", async () => {
  const { owner: boss, join, asOwner } = await newTeamClient(service);
  const { id: projectId } = await service.newProject(boss.token);
  const account = await join("editor");
  const there = await newTelegramChannel(service, { inbound_mode: "webhook" }, { account, projectId });
  const { chat } = await there.paired(boss.token);
  await chat.say(
    script({ tools: [call("write_file", { path: "a.txt", content: "yes" })] }, { text: "Done." }),
  );
  const asked = await chat.until(({ messages }) => {
    const found = messages.find(({ message }) => message.reply_markup);
    const data = found?.message.reply_markup?.inline_keyboard.flat()[0]?.callback_data;
    return found && data ? { id: found.message.message_id, data } : undefined;
  });
  expect((await asOwner("DELETE", `/members/${account.id}`)).status).toBe(204);
  await chat.press(asked.id, asked.data);
  await expect.poll(() => refusalAt(there), PATIENCE).toContain("404");
  const list = `/api/chat/agent/approvals?project_id=${projectId}`;
  expect((await service.call<unknown[]>("GET", list, { token: boss.token })).body).toHaveLength(1);
  await expect
    .poll(() => read(there), PATIENCE)
    .toMatchObject({
      is_active: false,
      connected: false,
      last_error: expect.stringContaining("may no longer manage channels in its project"),
    });
  expect((await change(there, { is_active: true, inbound_mode: "connection" })).status).toBe(404);
});

it("a disabled account's bot reads nothing", async () => {
  const there = await newTelegramChannel(service, { inbound_mode: "webhook" });
  const { id } = there.client.account;
  await databaseOf(service).update(users).set({ isActive: false }).where(eq(users.id, id));
  const { chat } = await there.stranger();
  await chat.say("hello");
  await expect.poll(() => refusalAt(there), PATIENCE).toContain("404");
  expect((await chat.read()).messages).toHaveLength(1);
});

it("a deleted project's bot reads nothing until its owner chooses another project", async () => {
  const there = await newTelegramChannel(service, { inbound_mode: "webhook" });
  const { account, projectId } = there.client;
  const { chat } = await there.stranger();
  const { token } = account;
  expect((await service.call("DELETE", `/api/projects/${projectId}`, { token })).status).toBe(200);
  await chat.say("hello");
  await expect.poll(() => refusalAt(there), PATIENCE).toContain("404");
  expect(await read(there)).toMatchObject({
    is_active: false,
    last_error: expect.stringContaining("project was deleted"),
  });
  expect(await change(there, { is_active: true })).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining("project was deleted") },
  });
  const { id: another } = await service.newProject(token);
  expect(await change(there, { is_active: true, project_id: another })).toMatchObject({
    status: 200,
    body: { is_active: true, last_error: null },
  });
  // The platform delivers what was refused.
  await chat.until(({ messages }) => (messages.length > 1 ? true : undefined));
});
