import { describe, expect, it } from "vitest";
import { connectedChannels, storedEvents } from "#test/support/connected-channels.ts";
import { databaseOf } from "#test/support/database.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newTelegramChannel } from "#test/support/telegram-channel.ts";

/**
 * What one platform's connection goes through in a service that runs. The protocols of all platforms are tried in
 * `test/channels`, the states and pauses in `test/durable-objects`, and a bot that becomes another one in
 * `test/domain/messaging/bots.test.ts`.
 */
const service = sharedService();
const telegram = await newTelegramChannel(service);
const channels = connectedChannels(service, telegram.client.account.token);
const { chat } = await telegram.stranger();

let written = 0;
/** A person writes; the message is stored once, with all that were written before. */
async function received(): Promise<void> {
  await chat.say(`message ${(written += 1)}`);
  expect(await storedEvents(databaseOf(service), telegram.channel.id, written)).toHaveLength(written);
}

const setFault = (fault?: object) =>
  telegram.platform.setFaults(
    telegram.botId,
    fault ? [{ method: "getUpdates", times: 1_000, ...fault }] : [],
  );

describe("a channel that is connected to its platform", () => {
  it("receives what is written, and goes on after an answer that was lost, each message once", async () => {
    await channels.waitFor(telegram.channel.id, "connected");
    await received();
    await setFault({ kind: "lost", times: 1 });
    await received();
    await received();
    const { last_error: error } = await channels.waitFor(telegram.channel.id, "connected");
    expect(error).toBeNull();
  });

  it("stops when its token is revoked, until its owner enters another one", async () => {
    await setFault({ status: 401, description: "Unauthorized" });
    // It ends the look that waits for half a minute: the next one is refused.
    await chat.say("One more");
    const { last_error: error } = await channels.waitFor(telegram.channel.id, "stopped");
    expect(error).toContain("Telegram does not know the bot's token");
    await channels.change(telegram.channel.id, {
      credentials: { bot_token: `standin:${crypto.randomUUID()}` },
    });
    await channels.waitFor(telegram.channel.id, "connected");
  });

  it("is disconnected with its end", async () => {
    await channels.remove(telegram.channel.id);
    expect((await channels.waitFor(telegram.channel.id, null)).last_error).toBeNull();
  });
});
