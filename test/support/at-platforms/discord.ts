import type { DiscordMock, DiscordUser } from "../platforms/discord.ts";
import { vi } from "vitest";
import { PATIENCE } from "../connected-channels.ts";
import { type BotThere, type ChatThere, counter } from "./bot.ts";

const newName = counter("person");
const GUILD = "613425648685547541";

/** Discord, with a bot that is connected to its gateway. */
export function botAtDiscord(discord: DiscordMock): BotThere {
  function chatOf(author: DiscordUser, channelId: string, mention: string): ChatThere {
    return {
      say(text) {
        discord.say({ channelId, text: mention + text, author });
        return Promise.resolve();
      },
      send(file, text = "") {
        discord.say({ channelId, text: mention + text, author, files: [file] });
        return Promise.resolve();
      },
      files: () => discord.sent(channelId).flatMap(({ files }) => files),
      shown: () => discord.sent(channelId).map(({ content }) => content),
      async allow() {
        const question = discord.sent(channelId).findLast(({ components }) => components.length > 0);
        const [button] = question?.components.flatMap(({ components }) => components) ?? [];
        if (!question || !button) throw new Error("Nothing is asked for");
        await discord.press(question.id, button.custom_id, author);
      },
    };
  }

  return {
    platform: "discord",
    wish: { credentials: discord.credentials, inbound_mode: "connection" },
    connect: () => vi.waitUntil(() => discord.gateway.listening > 0, PATIENCE).then(() => undefined),
    newPerson() {
      const author = discord.person(newName());
      return {
        dm: chatOf(author, discord.directChannel(author), ""),
        group: () => chatOf(author, discord.addChannel({ guildId: GUILD }), `<@${discord.bot.id}> `),
      };
    },
  };
}
