import type { ChannelAdapter, Platform } from "#src/channels/channel.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import {
  disowned,
  introduceBot,
  otherBot,
  registerWebhook,
  type Bot,
  type PlatformDeps,
} from "./at-platform.ts";
import { newWebhookSecret } from "./manage-channels.ts";
import { planProofs, storeBot, takeUnproved, type Channel } from "./queries.ts";
import { openCredentials } from "./show-channel.ts";

export interface ProofDeps extends Omit<PlatformDeps, "channels"> {
  channels: Readonly<Record<Platform, Pick<ChannelAdapter, "api" | "registersWebhook">>>;
  channelSecrets: Secrets;
  log: Log;
}

/** Channels of one sweep; the next one takes the rest. */
const BATCH = 50;
/** A bot that could not be proved for so long is given up until its owner changes the channel. */
const PATIENCE_MS = 7 * 24 * 3_600_000;

/** A bot that was asked about within so many hours is left out of the day's plan, whose hour is always the same. */
const FRESH_HOURS = 20;
/** The day's questions are spread over so many minutes. */
const SPREAD_MINUTES = 120;

/** Plans the day's questions to platforms who the bots are: a bot may get another name at any time. */
export async function planBots({ db }: Pick<ProofDeps, "db">): Promise<void> {
  return planProofs(db, { olderThanHours: FRESH_HOURS, withinMinutes: SPREAD_MINUTES });
}

/** Has platforms asked from the next minute on who all bots are. */
export async function askBotsSoon({ db }: Pick<ProofDeps, "db">): Promise<void> {
  return planProofs(db, { olderThanHours: 0, withinMinutes: 0 });
}

/**
 * Asks platforms who the bots of channels are that have this planned. A bot that was not proved yet is asked about until the
 * platform tells: a webhook takes nothing before. Where the service registers the webhook by itself, it then gets a new
 * secret.
 */
export async function proveBots(deps: ProofDeps): Promise<void> {
  const channels = await takeUnproved(deps.db, BATCH);
  await Promise.all(
    channels.map((channel) =>
      prove(deps, channel).catch((cause: unknown) =>
        deps.log.warn("a channel's bot could not be proved", { channel_id: channel.id, cause }),
      ),
    ),
  );
}

async function prove(deps: ProofDeps, channel: Channel): Promise<void> {
  try {
    const bot = await introduceBot(deps, channel.channelType, await credentialsOf(deps, channel));
    const { botId, botName } = bot;
    const other = otherBot(channel, { botId: botId ?? undefined, botName: botName ?? undefined });
    if (other !== undefined) return void (await storeBot(deps.db, channel, disowned(other)));
    if (channel.provedAt !== null) return void (await storeBot(deps.db, channel, askedAgain(bot)));
    const failure = bot.provedAt === null ? bot.lastError : await registerAnew(deps, channel);
    if (failure === null) await storeBot(deps.db, channel, bot);
    else await storeBot(deps.db, channel, failed(channel, failure));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid_input") throw error;
    await storeBot(deps.db, channel, { proveAt: null, lastError: error.message });
  }
}

/** What is stored of a bot that was proved before: not the last failure, which may be of something else. */
function askedAgain({ botId, botName, botTeamId, botAppId, provedAt }: Bot): Partial<Bot> {
  // A platform that does not respond is asked the next day.
  return provedAt === null
    ? { proveAt: null }
    : { botId, botName, botTeamId, botAppId, provedAt, proveAt: null };
}

async function credentialsOf(deps: ProofDeps, channel: Channel) {
  return openCredentials(deps, channel).catch((cause: unknown) => {
    throw new AppError("invalid_input", "The credentials cannot be decrypted: enter them again", { cause });
  });
}

/** The next attempt is stored already, when the channel is taken. */
function failed({ createdAt, updatedAt }: Channel, lastError: string): Partial<Bot> {
  const isOver = Date.now() - (updatedAt ?? createdAt).getTime() > PATIENCE_MS;
  return isOver
    ? { proveAt: null, lastError: `${lastError} Enter the credentials again to try once more.` }
    : { lastError };
}

/** Registers the webhook with a new secret, where the service does that. Returns the failure. */
async function registerAnew(deps: ProofDeps, channel: Channel): Promise<string | null> {
  const { channelType, inboundMode } = channel;
  if (deps.channels[channelType].registersWebhook !== true || inboundMode !== "webhook") return null;
  const changed = await storeBot(deps.db, channel, { encryptedWebhookSecret: await newWebhookSecret(deps) });
  if (!changed?.isActive || changed.inboundMode !== "webhook") return null;
  return (await registerWebhook(deps, changed))?.failure ?? null;
}
