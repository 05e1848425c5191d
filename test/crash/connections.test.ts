import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { apiClient } from "#test/support/api-client.ts";
import { connectedChannels, PATIENCE } from "#test/support/connected-channels.ts";
import { newDataDir } from "#test/support/data-dir.ts";
import { type DiscordMock, startDiscord } from "#test/support/platforms/discord.ts";
import { startTelegramUpdates, type TelegramUpdates } from "#test/support/platforms/telegram-updates.ts";
import { type ServiceProcess, spawnService } from "#test/support/process.ts";

const dataDir = newDataDir();
let telegram: TelegramUpdates;
let discord: DiscordMock;
let service: ServiceProcess;

beforeAll(async () => {
  telegram = await startTelegramUpdates("110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw");
  discord = await startDiscord();
});
afterAll(async () => {
  await service.kill();
  await Promise.all([telegram.close(), discord.close()]);
  rmSync(dataDir, { recursive: true, force: true });
});

function start(port: string): ServiceProcess {
  service = spawnService({
    PORT: port,
    DATA_DIR: dataDir,
    TELEGRAM_API_BASE_URL: telegram.url,
    DISCORD_API_BASE_URL: discord.url,
    USER_RATE_PER_MINUTE: "0",
  });
  return service;
}

const soon = (check: () => void) => vi.waitFor(check, PATIENCE);

/** Everything that was written is stored, because nothing else is confirmed. */
const allIsStored = () => soon(() => expect(telegram.confirmed).toBe(telegram.lastId + 1));

it("connections are made again after every kill, and lose nothing that the platform keeps", async () => {
  const url = await start("0").ready;
  const { port } = new URL(url);
  const { token } = await apiClient(url).signUp();
  const channels = connectedChannels(apiClient(url), token);
  const ids = [
    await channels.add("telegram", { bot_token: telegram.token }),
    await channels.add("discord", discord.credentials),
  ];
  for (const id of ids) await channels.waitFor(id, "connected");
  const [session] = discord.gateway.sessionIds;
  telegram.write("before");
  await allIsStored();

  for (const victim of ["workerd", "everything", "workerd"] as const) {
    telegram.write(`just before ${victim} is killed`);
    await service.kill(victim);
    await soon(() => expect([telegram.openPolls, discord.gateway.listening]).toEqual([0, 0]));
    telegram.write(`while ${victim} is gone`);
    if (victim === "everything") await start(port).ready;
    await allIsStored();
    await soon(() => expect([telegram.openPolls, discord.gateway.listening]).toEqual([1, 1]));
  }
  // The session at Discord went on: with a new one, what was written meanwhile would be lost.
  expect(discord.gateway.sessionIds).toEqual([session]);
});
