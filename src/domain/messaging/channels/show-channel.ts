import { z } from "zod";
import type { ChannelAdapter, Platform, Self } from "#src/channels/channel.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import { withoutSlash } from "#src/lib/without-slash.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { hasWebhookAddress } from "./inbound-mode.ts";
import type { Channel, ChannelLoss } from "./queries.ts";

const Credentials = z.record(z.string(), z.unknown());
export type Credentials = z.output<typeof Credentials>;

/** A channel as its owner sees it. */
export interface ShownChannel {
  channel: Channel;
  /** Why it does not work; null while it does. */
  loss: ChannelLoss | null;
  /** Masked. */
  credentials: Readonly<Record<string, unknown>>;
  /**
   * With the secret, except of Telegram, whose webhook the service registers itself; null for a channel whose webhook is not
   * called.
   */
  webhookUrl: string | null;
  /** What to do next at the platform. */
  setup: readonly string[];
}

export interface ShowDeps {
  channels: Readonly<
    Record<
      Platform,
      Pick<ChannelAdapter, "label" | "credentials" | "isStandIn" | "registersWebhook" | "setup">
    >
  >;
  channelSecrets: Pick<Secrets, "decrypt">;
  config: { PUBLIC_URL: string };
}

/**
 * Shows a channel. Without `loss`, an active channel counts as one that works. Credentials that no configured key opens are
 * shown as none, with a sentence in `setup`.
 */
export async function showChannel(
  deps: ShowDeps,
  channel: Channel,
  loss: ChannelLoss | null = channel.isActive ? null : (channel.endedBecause ?? "deleted"),
): Promise<ShownChannel> {
  const adapter = deps.channels[channel.channelType];
  const opened = await openSecrets(deps, channel).catch(() => undefined);
  if (!opened) {
    const lost = "The credentials cannot be decrypted: enter them again.";
    return { channel, loss, credentials: {}, webhookUrl: null, setup: [lost] };
  }
  const { credentials, webhookSecret } = opened;
  const secret = adapter.registersWebhook === true ? undefined : webhookSecret;
  const webhookUrl = hasWebhookAddress(channel) ? webhookUrlOf(deps, channel, secret) : null;
  // Beside a connection the platform needs no webhook.
  const neededUrl = channel.inboundMode === "webhook" ? webhookUrl : null;
  return {
    channel,
    loss,
    credentials: masked(credentials),
    webhookUrl,
    setup: loss === null ? adapter.setup({ credentials, webhookUrl: neededUrl }) : [],
  };
}

/** A channel's credentials in the clear. Throws `InvalidToken` when no configured key opens them. */
export async function openCredentials(
  { channelSecrets }: Pick<ShowDeps, "channelSecrets">,
  { encryptedCredentials }: Pick<Channel, "encryptedCredentials">,
): Promise<Credentials> {
  return parseJson(await channelSecrets.decrypt(encryptedCredentials), Credentials);
}

/** A channel's credentials and webhook secret in the clear. Throws as `openCredentials` does. */
export async function openSecrets(
  deps: Pick<ShowDeps, "channelSecrets">,
  channel: Pick<Channel, "encryptedCredentials" | "encryptedWebhookSecret">,
): Promise<{ credentials: Credentials; webhookSecret: string }> {
  const [credentials, webhookSecret] = await Promise.all([
    openCredentials(deps, channel),
    deps.channelSecrets.decrypt(channel.encryptedWebhookSecret),
  ]);
  return { credentials, webhookSecret };
}

/** Whom the channel is at its platform, as far as the platform proved it. */
export function selfOf({ botId, botName, botTeamId, botAppId }: Channel): Self {
  return {
    botId: botId ?? undefined,
    botName: botName ?? undefined,
    teamId: botTeamId ?? undefined,
    appId: botAppId ?? undefined,
  };
}

/** Where the platform calls the channel's webhook. */
export function webhookUrlOf(
  { config }: Pick<ShowDeps, "config">,
  { channelType, id }: Pick<Channel, "channelType" | "id">,
  secret?: string,
): string {
  const address = `${withoutSlash(config.PUBLIC_URL)}/api/channels/webhook/${channelType}/${id}`;
  return secret === undefined ? address : `${address}?secret=${secret}`;
}

export const MASK = "***";
/** From this length on the end of a secret tells too little about the rest to matter. */
const SHOWS_END = 16;
const SHOWS_BEGINNING = 7;

/** Secrets as they are shown: the first three characters, and the last three of a long one. Lists item by item. */
function masked(credentials: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(credentials).map(([name, value]) => [name, mask(value)]));
}

function mask(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mask);
  if (typeof value !== "string" || value.length < SHOWS_BEGINNING) return MASK;
  return value.slice(0, 3) + MASK + (value.length >= SHOWS_END ? value.slice(-3) : "");
}
