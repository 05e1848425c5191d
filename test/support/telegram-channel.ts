import type { ApiAnswer } from "./api-client.ts";
import { ChatPlatform, type PersonsChat } from "./chat-platform.ts";
import type { SharedService } from "./shared-service.ts";
import { newTaskClient, type TaskClient } from "./task-client.ts";

export interface ChannelView {
  id: string;
  webhook_url: string | null;
  bot_name: string | null;
  last_error: string | null;
  connection_state: string | null;
}

export interface ChannelMessageView {
  id: string;
  direction: "inbound" | "outbound";
  content: string;
  status: string;
  task_id: string | null;
  error: string | null;
}

/** A Telegram channel of a new account, or of a given one, at the chat platform of the stack, and people there. */
export interface TelegramChannel {
  client: TaskClient;
  platform: ChatPlatform;
  channel: ChannelView;
  botId: number;
  /** A new person's private chat with the bot. */
  stranger(name?: string): Promise<{ id: number; chat: PersonsChat }>;
  /** A new person whose account is the channel owner's, or another's. */
  paired(token?: string): Promise<{ id: number; chat: PersonsChat }>;
  verify(code: string, token?: string): Promise<ApiAnswer<{ detail?: string; status?: string }>>;
  /** The channel's messages, oldest first. */
  messages(): Promise<ChannelMessageView[]>;
}

export async function newTelegramChannel(
  service: SharedService,
  fields: Readonly<Record<string, unknown>> = {},
  whose: Parameters<typeof newTaskClient>[1] = {},
): Promise<TelegramChannel> {
  const client = await newTaskClient(service, whose);
  const { token } = client.account;
  const platform = new ChatPlatform(service.stack.chatPlatformUrl ?? "");
  const botToken = `standin:${crypto.randomUUID()}`;
  const made = await service.call<ChannelView>("POST", "/api/channels", {
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
  const stranger: TelegramChannel["stranger"] = async (name = "Cy") => {
    const { id } = await platform.person(name);
    return { id, chat: platform.chat(botId, id, id) };
  };
  const verify: TelegramChannel["verify"] = (code, as = token) =>
    service.call("POST", "/api/gateway/pair/verify", {
      token: as,
      json: { platform: "telegram", pairing_code: code },
    });
  return {
    client,
    platform,
    channel: made.body,
    botId,
    stranger,
    verify,
    async paired(as) {
      const person = await stranger();
      await person.chat.say("hello");
      const given = await verify(await codeIn(person.chat), as);
      if (given.status !== 200) throw new Error(`Not paired: ${given.text}`);
      return person;
    },
    async messages() {
      const { body } = await service.call<ChannelMessageView[]>(
        "GET",
        `/api/channels/${made.body.id}/messages?limit=200`,
        { token },
      );
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
