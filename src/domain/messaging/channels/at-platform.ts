import type { Platform, Self } from "#src/channels/channel.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { channelApi, type ApiDeps } from "./channel-api.ts";
import { noteLastError, type Channel } from "./queries.ts";
import { openSecrets, webhookUrlOf, type Credentials } from "./show-channel.ts";

export interface PlatformDeps extends ApiDeps {
  db: Db;
  config: { PUBLIC_URL: string };
}

/** Who a channel's bot is, as its platform proved. */
export type Bot = Pick<
  Channel,
  "botId" | "botName" | "botTeamId" | "botAppId" | "provedAt" | "proveAt" | "lastError"
>;

/**
 * Why the platform's answer is not of the channel's bot, as a sentence; undefined when it is. Credentials that become those of
 * another bot by themselves were not meant for that one, and the people who wrote to the first did not mean it either.
 */
export function otherBot(
  { botId, botName }: Pick<Channel, "botId" | "botName">,
  found: Pick<Self, "botId" | "botName">,
): string | undefined {
  if (botId === null || found.botId === undefined || found.botId === botId) return undefined;
  const now = nameOf(found.botId, found.botName);
  return `The credentials are those of another bot now: ${now} instead of ${nameOf(botId, botName ?? undefined)}. Enter them again to use that bot.`;
}

const nameOf = (id: string, name: string | undefined) => (name === undefined ? id : `${name} (${id})`);

/** What is stored of a channel whose credentials are of another bot now. Its own bot is still known. */
export function disowned(sentence: string): Partial<Bot> {
  return { provedAt: null, proveAt: null, lastError: sentence };
}

/** A bot that was proved just now. */
export function provedBot({ botId, botName, teamId, appId }: Self): Bot {
  return {
    botId: botId ?? null,
    botName: botName ?? null,
    botTeamId: teamId ?? null,
    botAppId: appId ?? null,
    provedAt: new Date(),
    proveAt: null,
    lastError: null,
  };
}

/**
 * Asks the platform who the bot of these credentials is. A platform that does not respond keeps nothing from being stored: it
 * is the channel's last failure, and is asked again. Throws `invalid_input` with the platform's reason for credentials that it
 * refuses.
 */
export async function introduceBot(
  deps: Pick<PlatformDeps, "channels" | "apiEnvironment">,
  platform: Platform,
  credentials: Credentials,
): Promise<Bot> {
  try {
    return provedBot(await deps.channels[platform].api(credentials, deps.apiEnvironment).identify());
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
    const { kind, message } = error;
    if (kind === "refused" || kind === "unauthorized") throw new AppError("invalid_input", message);
    const unknown = { botId: null, botName: null, botTeamId: null, botAppId: null };
    return { ...unknown, provedAt: null, proveAt: new Date(), lastError: message };
  }
}

/** Registrations for one change. More than one is needed only when the channel is changed again meanwhile. */
const MAX_REGISTRATIONS = 3;

/**
 * Has the platform call the channel's webhook, or no longer, as a change demands; for platforms where the service registers
 * the address itself. A failure becomes the channel's last one and fails nothing else. Returns the channel as it is then.
 */
export async function followWebhook(
  deps: PlatformDeps,
  before: Channel | undefined,
  after: Channel,
): Promise<Channel> {
  const wasCalled = before !== undefined && isCalled(before);
  const isSameBot = before?.encryptedCredentials === after.encryptedCredentials;
  if (wasCalled && !(isSameBot && isCalled(after))) await removeWebhook(deps, before);
  if (wasCalled && haveSameAddress(before, after)) return after;
  let channel = after;
  for (let times = 0; times < MAX_REGISTRATIONS && isCalled(channel); times += 1) {
    const outcome = await registerWebhook(deps, channel);
    if (!outcome) return channel;
    const now = await noteLastError(deps.db, channel.id, outcome.failure);
    if (!now || haveSameAddress(channel, now)) return now ?? channel;
    channel = now;
  }
  return channel;
}

const isCalled = ({ isActive, inboundMode }: Channel) => isActive && inboundMode === "webhook";

/** Encryption is never the same twice: equal tokens were not written anew. */
const haveSameAddress = (one: Channel, other: Channel) =>
  one.encryptedCredentials === other.encryptedCredentials &&
  one.encryptedWebhookSecret === other.encryptedWebhookSecret;

/** Has the platform call the channel's webhook. Undefined where the service registers nothing. */
export async function registerWebhook(
  deps: PlatformDeps,
  channel: Channel,
): Promise<{ failure: string | null } | undefined> {
  const opened = await openSecrets(deps, channel).catch(() => undefined);
  if (!opened) return undefined;
  const api = deps.channels[channel.channelType].api(opened.credentials, deps.apiEnvironment);
  if (!api.registerWebhook) return undefined;
  try {
    // The address has no secret: the bot's owner can ask the platform for it, and would know what proves the platform's calls.
    await api.registerWebhook(webhookUrlOf(deps, channel), opened.webhookSecret);
    return { failure: null };
  } catch (error) {
    if (error instanceof PlatformFailure) return { failure: error.message };
    throw error;
  }
}

/** Best effort: the platform also forgets a webhook when a connection begins. */
async function removeWebhook(deps: PlatformDeps, channel: Channel): Promise<void> {
  const api = await channelApi(deps, channel).catch(() => undefined);
  try {
    await api?.removeWebhook?.();
  } catch (error) {
    if (!(error instanceof PlatformFailure)) throw error;
  }
}
