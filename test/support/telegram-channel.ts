import type { ChannelConfig, ChannelMessage } from "#sdk/generated/types.gen.ts";
import { ChatPlatform, type PersonsChat } from "./chat-platform.ts";
import type { SharedService } from "./shared-service.ts";
import { newTaskClient } from "./task-client.ts";

export type { ChannelConfig as ChannelView, ChannelMessage as ChannelMessageView };

export type TelegramChannel = Awaited<ReturnType<typeof newTelegramChannel>>;

/** A Telegram channel of a new account, or of a given one, at the chat platform of the stack, and people there. */
export async function newTelegramChannel(
  service: SharedService,
  fields: Readonly<Record<string, unknown>> = {},
  whose: Parameters<typeof newTaskClient>[1] = {},
) {
  const client = await newTaskClient(service, whose);
  const { token } = client.account;
  const platform = new ChatPlatform(service.stack.chatPlatformUrl ?? "");
  const botToken = `standin:${crypto.randomUUID()}`;
  const made = await service.call<ChannelConfig>("POST", "/api/channels", {
    token,
    json: {
      channel_type: "telegram",
      credentials: { bot_token: botToken },
      project_id: client.projectId,
      ...fields,
    },
  });
  if (made.status !== 200) throw new Error(`No channel: ${made.text}`);
  const bots = await platform.ask<{ id: number; username: string }[]>("/bots");
  const botId = bots.find(({ username }) => username === made.body.bot_name)?.id;
  if (botId === undefined) throw new Error("The platform does not know the bot");
  const stranger = async (name = "Cy") => {
    const { id } = await platform.person(name);
    return { id, chat: platform.chat(botId, id, id) };
  };
  const verify = (code: string, as = token) =>
    service.call<{ detail?: string; status?: string }>("POST", "/api/gateway/pair/verify", {
      token: as,
      json: { platform: "telegram", pairing_code: code },
    });
  return {
    client,
    platform,
    channel: made.body,
    botId,
    /** A new person's private chat with the bot. */
    stranger,
    verify,
    /** A new person whose account is the channel owner's, or another's. */
    async paired(as?: string) {
      const person = await stranger();
      await person.chat.say("hello");
      const given = await verify(await codeIn(person.chat), as);
      if (given.status !== 200) throw new Error(`Not paired: ${given.text}`);
      return person;
    },
    /** The channel's messages, oldest first. */
    async messages(): Promise<ChannelMessage[]> {
      const path = `/api/channels/${made.body.id}/messages?limit=200`;
      const { body } = await service.call<ChannelMessage[]>("GET", path, { token });
      return body.toReversed();
    },
  };
}

/** The pairing code that the bot told a person. */
export async function codeIn(chat: PersonsChat): Promise<string> {
  return chat.until(({ messages }) => {
    for (const { message } of messages) {
      const code = /\b[A-HJ-NP-Z2-9]{8}\b/u.exec(message.text ?? "")?.[0];
      if (code !== undefined) return code;
    }
    return undefined;
  });
}
