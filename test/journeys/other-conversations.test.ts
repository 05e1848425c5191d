import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { z } from "zod";
import { messages } from "#src/db/schema/index.ts";
import { databaseOf } from "#test/support/database.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { script } from "#test/support/task-client.ts";
import { codeIn, newTelegramChannel, type ChannelView } from "#test/support/telegram-channel.ts";

const service = sharedService();

const Metadata = z.object({ channel: z.object({ context: z.array(z.unknown()) }) }).nullable();

/** What the agent was given of the person's other conversations, with a message that holds this text. */
async function contextOf(text: string, token: string): Promise<unknown[] | undefined> {
  const rows = await databaseOf(service).select().from(messages).where(eq(messages.role, "user"));
  const found = rows.find(({ content }) => content.includes(text));
  const { body: shown } = await service.call<{ content: string; message_metadata: unknown }[]>(
    "GET",
    `/api/chat/session/${found?.chatId}/messages`,
    { token },
  );
  // People do not see it.
  expect(shown.find(({ content }) => content === found?.content)).toMatchObject({ message_metadata: null });
  return Metadata.parse(found?.messageMetadata)?.channel.context;
}

it("a conversation begins with what the person said in another one, which people do not see", async () => {
  const telegram = await newTelegramChannel(service);
  const { client, platform } = telegram;
  const { token } = client.account;
  const { id, chat } = await telegram.paired();
  const answered = (place: typeof chat, text: string) =>
    place.until((shown) => shown.messages.find(({ message }) => message.text === text));
  const [first, second] = [script({ text: "Beds." }), script({ text: "Seeds." })];
  await chat.say(first);
  await answered(chat, "Beds.");
  expect(await contextOf("Beds.", token)).toBeUndefined();

  const made = await service.call<ChannelView>("POST", "/api/channels", {
    token,
    json: {
      channel_type: "telegram",
      credentials: { bot_token: `standin:${crypto.randomUUID()}` },
      project_id: client.projectId,
    },
  });
  const bots = await platform.ask<{ id: number; username: string }[]>("/bots");
  const botId = bots.find(({ username }) => username === made.body.bot_name)?.id ?? 0;
  const other = platform.chat(botId, id, id);
  // The link counts in the first bot's channel alone.
  await other.say("hello");
  expect(await telegram.verify(await codeIn(other))).toMatchObject({ status: 200 });
  await other.say(second);
  await answered(other, "Seeds.");
  expect(await contextOf("Seeds.", token)).toEqual([
    { platform: "telegram", role: "user", text: first },
    { platform: "telegram", role: "assistant", text: "Beds." },
  ]);
});
