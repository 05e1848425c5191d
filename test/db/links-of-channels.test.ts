import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newId } from "#src/lib/ids.ts";

const FOLDER = join(import.meta.dirname, "../../migrations");
const LINKS = "0027_channel_links.sql";

let database: PGlite;
beforeAll(async () => {
  database = await PGlite.create();
});
afterAll(() => database.close());

async function migrate(files: readonly string[]): Promise<void> {
  for (const file of files) {
    const statements = readFileSync(join(FOLDER, file), "utf8").split("--> statement-breakpoint");
    await database.transaction(async (each) => {
      for (const statement of statements) await each.exec(statement);
    });
  }
}

const insert = async (table: string, row: Readonly<Record<string, unknown>>): Promise<string> => {
  const values = { id: newId(), ...row };
  const places = Object.keys(values).map((_, index) => `$${index + 1}`);
  const text = `INSERT INTO ${table} (${Object.keys(values).join(", ")}) VALUES (${places.join(", ")})`;
  await database.query(text, Object.values(values));
  return values.id;
};

const newUser = (name: string) =>
  insert("users", { email: `${name}@example.com`, username: name, name, slug: name });

const newChannel = (userId: string, mode = "connection", botId: string | null = "7") =>
  insert("channel_configs", {
    user_id: userId,
    channel_type: "telegram",
    name: "Bot",
    encrypted_credentials: "-",
    encrypted_webhook_secret: "-",
    inbound_mode: mode,
    bot_id: botId,
  });

const newSession = (channelId: string, userId: string, senderId: string) =>
  insert("channel_sessions", {
    channel_config_id: channelId,
    session_key: `telegram:dm:${senderId}`,
    user_id: userId,
    platform_chat_id: senderId,
    platform_chat_type: "dm",
    sender_id: senderId,
    sender_name: "Ada",
    last_active_at: new Date(),
  });

/** A link as it is stored. */
const linked = (user: string, channel: string, sender: string, chat: string | null = null) => ({
  user_id: user,
  channel_config_id: channel,
  platform_user_id: sender,
  home_chat_id: chat,
});

it("People who were linked before stay linked in the channels that they used, and in no other", async () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".sql"));
  await migrate(files.filter((name) => name < LINKS).toSorted());
  const [ada, bob, owner] = [await newUser("ada"), await newUser("bob"), await newUser("owner")];
  const [entered, used, home, unused] = [
    await newChannel(owner, "webhook"),
    await newChannel(owner),
    await newChannel(owner),
    await newChannel(owner),
  ];
  await insert("platform_identities", {
    user_id: ada,
    platform: "telegram",
    platform_user_id: "11",
    is_verified: true,
    paired_at: new Date(),
    channel_config_id: entered,
    home_channel_config_id: home,
    home_chat_id: "-7",
  });
  // The channel of this one's code is gone; the platform knows the person by another id, too.
  await insert("platform_identities", {
    user_id: bob,
    platform: "telegram",
    platform_user_id: "22",
    is_verified: true,
    paired_at: new Date(),
  });
  const session = await newSession(used, ada, "11");
  await newSession(used, bob, "alternate-of-22");
  await insert("platform_identities", { platform: "telegram", platform_user_id: "33" });

  await migrate([LINKS]);

  const links = await database.query<Record<string, string | null>>(
    "SELECT user_id, channel_config_id, platform_user_id, home_chat_id FROM platform_identities",
  );
  expect(links.rows).toHaveLength(4);
  expect(links.rows).toEqual(
    expect.arrayContaining([
      linked(ada, entered, "11"),
      linked(ada, used, "11"),
      linked(ada, home, "11", "-7"),
      linked(bob, used, "22"),
    ]),
  );
  const ofSession = await database.query(
    `SELECT i.user_id FROM channel_sessions s JOIN platform_identities i ON i.id = s.identity_id
      WHERE s.id = $1 AND i.channel_config_id = s.channel_config_id`,
    [session],
  );
  expect(ofSession.rows).toEqual([{ user_id: ada }]);
  // Telegram's secret of a webhook was shown to its owner: the webhook takes nothing until it has another one.
  const proofs = await database.query<{ id: string }>(
    "SELECT id FROM channel_configs WHERE proved_at IS NULL AND prove_at IS NOT NULL",
  );
  expect(proofs.rows).toEqual([{ id: entered }]);
  expect(links.rows.map((row) => row["channel_config_id"])).not.toContain(unused);
});
