import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startChatPlatform } from "#local/chat-platform/index.ts";
import type { Platform } from "#src/channels/channel.ts";
import { ChatPlatform } from "#test/support/chat-platform.ts";
import { startSlack } from "#test/support/platforms/slack.ts";
import { startWhatsapp } from "#test/support/platforms/whatsapp.ts";
import type { Random } from "#test/support/random.ts";
import { PATIENCE } from "./patience.ts";

/** A person's private chat with the bot. */
export interface LastingChat {
  /** Resolves once the platform delivered the text, or keeps it until the bot asks for it. */
  write(text: string): Promise<void>;
  /** Texts of the bot, in the order of their arrival. */
  read(): Promise<string[]>;
}

/** A channel as its owner sees it. */
export interface ConnectedChannel {
  id: string;
  bot_name: string | null;
  webhook_url: string | null;
}

/** A platform that goes on while the service is gone. */
export interface LastingPlatform {
  platform: Platform;
  credentials: object;
  /** What the service is told about the platform. */
  variables: Readonly<Record<string, string>>;
  newChat(channel: ConnectedChannel, name: string): Promise<LastingChat>;
  close(): Promise<void>;
}

/** One that the service polls and two that call its webhooks until it acknowledges. */
export function startPlatforms(random: Random): Promise<LastingPlatform[]> {
  return Promise.all([telegram(), whatsapp(random), slack(random)]);
}

async function telegram(): Promise<LastingPlatform> {
  const dataDir = mkdtempSync(join(tmpdir(), "workspace-platform-"));
  const server = await startChatPlatform({ dataDir });
  const people = new ChatPlatform(server.url);
  return {
    platform: "telegram",
    credentials: { bot_token: `standin:${crypto.randomUUID()}` },
    variables: { TELEGRAM_API_BASE_URL: server.url },
    async newChat(channel, name) {
      const bots = await people.ask<{ id: number; username: string }[]>("/bots");
      const bot = bots.find(({ username }) => username === channel.bot_name);
      if (!bot) throw new Error("The platform does not know the bot");
      const { id } = await people.person(name);
      const chat = people.chat(bot.id, id, id);
      return {
        async write(text) {
          await chat.say(text);
        },
        async read() {
          const { messages } = await chat.read();
          return messages.flatMap(({ message }) => (message.from.is_bot ? [message.text ?? ""] : []));
        },
      };
    },
    async close() {
      await server.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function whatsapp(random: Random): Promise<LastingPlatform> {
  const server = await startWhatsapp();
  let people = 0;
  return {
    platform: "whatsapp",
    credentials: server.credentials,
    variables: { WHATSAPP_API_BASE_URL: server.url },
    async newChat({ webhook_url: webhook }, name) {
      people += 1;
      const number = `1650555${1_000 + people}`;
      const person = server.newPerson(name, { number });
      return {
        async write(text) {
          const messages = [server.write(person, { text })];
          await untilAcknowledged(random, async () => {
            const response = await server.deliver(webhook ?? "", { messages });
            await response.text();
            return response.status;
          });
        },
        read: async () => server.sent.filter(({ to }) => to === number).map(({ text }) => text),
      };
    },
    close: () => server.close(),
  };
}

async function slack(random: Random): Promise<LastingPlatform> {
  const server = await startSlack();
  const { bot_token, signing_secret } = server.credentials;
  let events = 0;
  return {
    platform: "slack",
    credentials: { bot_token, signing_secret },
    variables: { SLACK_API_BASE_URL: server.url },
    async newChat({ webhook_url: webhook }, name) {
      server.webhookUrl = webhook ?? "";
      const { id: user } = server.person(name);
      const channel = user.replace(/^U/u, "D");
      server.addChannel(channel);
      return {
        async write(text) {
          events += 1;
          const ts = `${Math.floor(Date.now() / 1000)}.${String(900_000 + events)}`;
          const event = { type: "message", user, text, ts, channel, event_ts: ts, channel_type: "im" };
          const eventId = `EvCrash${events}`;
          let number = 0;
          await untilAcknowledged(random, async () => {
            number += 1;
            return (await server.event(event, { eventId, number }))?.status ?? 0;
          });
        },
        read: async () => server.sent(channel).map(({ text }) => text),
      };
    },
    close: () => server.close(),
  };
}

const REDELIVER_MS = 100;

/**
 * Calls a webhook until it is acknowledged, and sometimes once more, as when the acknowledgement was lost. Throws when the
 * service refuses the request, and when that takes too long.
 */
async function untilAcknowledged(random: Random, deliver: () => Promise<number>): Promise<void> {
  const deadline = Date.now() + PATIENCE.timeout;
  let left = random.chance(0.15) ? 2 : 1;
  while (left > 0) {
    const status = await deliver().catch(() => undefined); // the service is gone
    if (status === 200) left -= 1;
    else if (status !== undefined && status < 500) throw new Error(`The webhook returned ${status}`);
    else if (Date.now() > deadline) throw new Error(`The webhook returns ${status ?? "nothing"}`);
    else await pause(REDELIVER_MS);
  }
}
