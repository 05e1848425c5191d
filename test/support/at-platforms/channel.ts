import { vi } from "vitest";
import type { ApiClient } from "../api-client.ts";
import { PATIENCE } from "../connected-channels.ts";
import { newTaskClient, type TaskClient } from "../task-client.ts";
import type { ChannelMessageView, ChannelView } from "../telegram-channel.ts";
import type { BotThere, ChatThere, PersonThere } from "./bot.ts";

/** A channel of a new account, at a platform whose messages arrive. */
export interface ChannelThere {
  bot: BotThere;
  client: TaskClient;
  channel: ChannelView;
  /** Links the person who was sent this code to an account: the channel owner's, or another's. Returns the status. */
  verify(code: string, token?: string): Promise<number>;
  /** A new person who is linked to the channel owner's account, or to another. */
  paired(token?: string): Promise<PersonThere>;
  /** The channel's messages, oldest first. */
  messages(): Promise<ChannelMessageView[]>;
}

/** Makes a channel and has its messages arrive. */
export async function newChannelThere(service: ApiClient, bot: BotThere): Promise<ChannelThere> {
  const client = await newTaskClient(service);
  const { token } = client.account;
  const made = await service.call<ChannelView>("POST", "/api/channels", {
    token,
    json: { channel_type: bot.platform, project_id: client.projectId, ...bot.wish },
  });
  if (made.status !== 200) throw new Error(`No channel: ${made.text}`);
  if (made.body.last_error !== null) throw new Error(made.body.last_error);
  await bot.connect(made.body);
  const verify: ChannelThere["verify"] = async (code, as = token) => {
    const json = { platform: bot.platform, pairing_code: code };
    return (await service.call("POST", "/api/gateway/pair/verify", { token: as, json })).status;
  };
  return {
    bot,
    client,
    channel: made.body,
    verify,
    async paired(as) {
      const person = bot.newPerson();
      await person.dm.say("hello");
      const status = await verify(await codeIn(person.dm), as);
      if (status !== 200) throw new Error(`Not paired: ${status}`);
      await told(person.dm, "Your account is linked.");
      return person;
    },
    async messages() {
      const path = `/api/channels/${made.body.id}/messages?limit=200`;
      const { body } = await service.call<ChannelMessageView[]>("GET", path, { token });
      return body.toReversed();
    },
  };
}

/** Waits until the bot wrote a text with this in it, and returns the text. */
export async function told({ shown }: Pick<ChatThere, "shown">, part: string | RegExp): Promise<string> {
  return vi.waitFor(() => {
    const found = shown().find((text) => (part instanceof RegExp ? part.test(text) : text.includes(part)));
    if (found === undefined) throw new Error(`The bot wrote no ${part}, but ${JSON.stringify(shown())}`);
    return found;
  }, PATIENCE);
}

const CODE = /\b[A-HJ-NP-Z2-9]{8}\b/u;

/** The pairing code that the bot told a person. */
export async function codeIn(chat: Pick<ChatThere, "shown">): Promise<string> {
  return CODE.exec(await told(chat, CODE))?.[0] ?? "";
}
