import { eq, isNotNull, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { channelConfigs } from "#src/db/schema/index.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import * as channels from "#src/domain/messaging/channels/index.ts";
import type { UserCaller } from "#src/domain/organisations/access/index.ts";
import { createLog } from "#src/platform/log/log.ts";
import { openDatabase } from "#test/support/database.ts";
import { newPerson } from "#test/support/people.ts";
import { askedTelegram, channelWish as wish, TOKEN } from "./support/asked-telegram.ts";

const CLIENT = { address: "203.0.113.9", userAgent: "test" };
let database: Awaited<ReturnType<typeof openDatabase>>;
let owner: UserCaller;
beforeAll(async () => {
  database = await openDatabase();
  owner = (await newPerson(database.db)).caller;
});
afterAll(() => database.close());

const telegram = askedTelegram(() => database.db);
const { asked, failing, deps } = telegram;
const registered = (token: string, id: string) => telegram.registered(owner, token, id);

/** The sweep, when these channels are due, and no other one of this file. */
async function prove(...ids: readonly string[]): Promise<void> {
  await database.db
    .update(channelConfigs)
    .set({ proveAt: sql`now() + interval '1 day'` })
    .where(isNotNull(channelConfigs.proveAt));
  for (const id of ids) {
    await database.db
      .update(channelConfigs)
      .set({ proveAt: new Date(0) })
      .where(eq(channelConfigs.id, id));
  }
  await channels.proveBots({ ...deps(), log: { ...createLog(), warn: () => {} } });
}

describe("the bot", () => {
  it("of a webhook is proved later, with a secret of its own", async () => {
    failing.set("identify", new PlatformFailure("unreachable", "Telegram could not be reached."));
    const wished = wish({ inboundMode: "webhook" });
    const { channel } = await channels.createChannel(deps(), owner, wished, CLIENT);
    const first = await registered(TOKEN, channel.id);
    const found = () => channels.requireChannel(deps(), owner, channel.id);
    await prove(channel.id);
    expect(await found()).toMatchObject({ provedAt: null, lastError: "Telegram could not be reached." });
    failing.clear();
    await prove(channel.id);
    expect(await found()).toMatchObject({
      botId: "7",
      provedAt: expect.any(Date),
      proveAt: null,
      lastError: null,
    });
    expect(asked.at(-1)).toBe(await registered(TOKEN, channel.id));
    expect(asked.at(-1)).not.toBe(first);
    asked.length = 0;
    await prove();
    expect(asked).toEqual([]);
  });

  it("of a webhook is given up when the platform refuses its bot, or says nothing for a week", async () => {
    failing.set("identify", new PlatformFailure("unreachable", "Telegram could not be reached."));
    const make = async () =>
      (await channels.createChannel(deps(), owner, wish({ inboundMode: "webhook" }), CLIENT)).channel.id;
    const [refused, silent] = [await make(), await make()];
    await database.db
      .update(channelConfigs)
      .set({ createdAt: new Date(0) })
      .where(eq(channelConfigs.id, silent));
    await prove(silent);
    expect(await channels.requireChannel(deps(), owner, silent)).toMatchObject({
      proveAt: null,
      lastError: expect.stringContaining("Enter the credentials again"),
    });
    failing.set("identify", new PlatformFailure("unauthorized", "Telegram does not know this token."));
    await prove(refused);
    expect(await channels.requireChannel(deps(), owner, refused)).toMatchObject({
      provedAt: null,
      proveAt: null,
      lastError: "Telegram does not know this token.",
    });
  });
});
