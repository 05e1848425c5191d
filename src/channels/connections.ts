import type { Platform } from "./channel.ts";
import type { Connect } from "./connection.ts";
import { connectDiscord } from "./discord/connection.ts";
import { connectSignal } from "./signal/connection.ts";
import { connectSlack } from "./slack/connection.ts";
import { connectTelegram } from "./telegram/connection.ts";

/** How the service connects to each platform. To the others it does not: they call a webhook, or connect themselves. */
export const connections: Readonly<Partial<Record<Platform, Connect>>> = {
  telegram: connectTelegram,
  discord: connectDiscord,
  slack: connectSlack,
  signal: connectSignal,
};
