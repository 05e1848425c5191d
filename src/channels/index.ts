import type { ChannelAdapter, Platform, RenderedText } from "./channel.ts";
import { cli } from "./cli/index.ts";
import { discord } from "./discord/index.ts";
import { signal } from "./signal/index.ts";
import { slack } from "./slack/index.ts";
import { telegram } from "./telegram/index.ts";
import { whatsapp } from "./whatsapp/index.ts";

type Render = (markdown: string) => readonly RenderedText[];

/** Loaded on first use: most requests render nothing, and the Markdown tokenizer is large. */
const lazily =
  (load: () => Promise<Render>): ChannelAdapter["render"] =>
  async (markdown) =>
    (await load())(markdown);

/** Every platform's adapter. A new platform is a folder and a line here. */
export const adapters: Readonly<Record<Platform, ChannelAdapter>> = {
  telegram: {
    ...telegram,
    render: lazily(async () => (await import("./rendering/telegram.ts")).telegramTexts),
  },
  slack: { ...slack, render: lazily(async () => (await import("./rendering/slack.ts")).slackTexts) },
  discord: { ...discord, render: lazily(async () => (await import("./rendering/discord.ts")).discordTexts) },
  whatsapp: {
    ...whatsapp,
    render: lazily(async () => (await import("./rendering/whatsapp.ts")).whatsappTexts),
  },
  signal: { ...signal, render: lazily(async () => (await import("./rendering/signal.ts")).signalTexts) },
  cli: { ...cli, render: lazily(async () => (await import("./rendering/plain.ts")).plainTexts) },
};
