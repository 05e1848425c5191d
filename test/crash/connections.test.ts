import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { apiClient } from "#test/support/api-client.ts";
import { connectedChannels, PATIENCE } from "#test/support/connected-channels.ts";
import { type DiscordMock, startDiscord } from "#test/support/platforms/discord.ts";
import { startTelegramUpdates, type TelegramUpdates } from "#test/support/platforms/telegram-updates.ts";
import { mortalService } from "./support/mortal-service.ts";

let telegram: TelegramUpdates;
let discord: DiscordMock;
beforeAll(async () => {
  telegram = await startTelegramUpdates("110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw");
  discord = await startDiscord();
});
afterAll(async () => {
  await Promise.all([telegram.close(), discord.close()]);
});

const service = mortalService(() => ({
  TELEGRAM_API_BASE_URL: telegram.url,
  DISCORD_API_BASE_URL: discord.url,
}));

const soon = (check: () => void) => vi.waitFor(check, PATIENCE);

/** Everything that was written is stored, because nothing else is confirmed. */
const allIsStored = () => soon(() => expect(telegram.confirmed).toBe(telegram.lastId + 1));

it("connections are made again after every kill, and lose nothing that the platform keeps", async () => {
  const api = apiClient(await service.start());
  const { token } = await api.signUp();
  const channels = connectedChannels(api, token);
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
    const [polled, listened] = [telegram.connections, discord.gateway.connections.length];
    await service.kill(victim);
    // A workerd alone is started again at once, perhaps before a look here.
    if (victim === "everything")
      await vi.waitUntil(() => telegram.openPolls + discord.gateway.listening === 0, PATIENCE);
    telegram.write(`while ${victim} is gone`);
    if (victim === "everything") await service.start();
    await allIsStored();
    await soon(() => {
      expect(telegram.connections).toBeGreaterThan(polled);
      expect(discord.gateway.connections.length).toBeGreaterThan(listened);
      expect([telegram.openPolls, discord.gateway.listening]).toEqual([1, 1]);
    });
  }
  // The session at Discord went on: with a new one, what was written meanwhile would be lost.
  expect(discord.gateway.sessionIds).toEqual([session]);
});
