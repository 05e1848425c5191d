import { plainText } from "#src/channels/plain-text.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import type { ReceivedMessage } from "#src/channels/channel.ts";
import { channelApi, type Channel } from "#src/domain/messaging/channels/index.ts";
import {
  belongsTo,
  cardOfChannel,
  forgetCode,
  newPairingCode,
  type ChannelCard,
  type PairingConfig,
} from "#src/domain/messaging/identities/index.ts";
import { sendStored, type OutboxDeps } from "#src/domain/messaging/deliveries/index.ts";
import { consoleUrl, type ConsoleConfig } from "#src/lib/console-url.ts";
import { confirmClick } from "./confirm-click.ts";
import { settleEvents, type StoredEvent } from "./queries/events.ts";

export interface StrangerDeps extends OutboxDeps {
  config: PairingConfig & ConsoleConfig;
}

const PRIVATELY = "Write to me in private first: there I tell you how to link your account.";

/**
 * Replies to a person who is not linked to an account: with a pairing code in private, with a hint in a group, where
 * others would read the code and take the person's place. Nothing that the person wrote is stored.
 */
export async function meetStranger(
  deps: StrangerDeps,
  channel: Channel,
  events: readonly StoredEvent[],
): Promise<void> {
  const message = events.map(({ event }) => event).find((event) => event?.kind === "message");
  const click = events.map(({ event }) => event).find((event) => event?.kind === "click");
  if (message?.place.chatType === "dm") await sendCode(deps, channel, message);
  else if (message) await hint(deps, channel, message, events);
  if (click) {
    await confirmClick(deps, channel, click, "Link your account first: write to me.");
  }
  await settleEvents(
    deps.db,
    events.map(({ id }) => id),
  );
}

/**
 * Sends a code past the outbox, whose messages the channel's owner can read. When it cannot be sent, the next message of the
 * person gets another one.
 */
async function sendCode(deps: StrangerDeps, channel: Channel, message: ReceivedMessage): Promise<void> {
  const { sender, place } = message;
  const platform = channel.channelType;
  const code = await newPairingCode(deps, { channelConfigId: channel.id, platform, sender });
  if (code === undefined) return;
  const card = await cardOfChannel(deps.db, channel.id);
  if (!card) return;
  const text = wordsOf(deps, platform, { code, card });
  try {
    const api = await channelApi(deps, channel);
    const [piece] = await deps.channels[platform].render(text);
    if (!piece) return;
    const target = message.replyTarget;
    const replyTarget =
      target === undefined ? undefined : await deps.channelSecrets.decrypt(target).catch(() => undefined);
    await api.send({ ...plainText(place, piece, code), replyTarget });
  } catch (cause) {
    await forgetCode(deps, { channelConfigId: channel.id, platformUserId: sender.id });
    if (!(cause instanceof PlatformFailure)) throw cause;
    deps.log.warn("a pairing code could not be sent", { channel_id: channel.id, cause });
  }
}

/** The address has no code in it: who follows a link of somebody else's must not link that somebody by it. */
function wordsOf(
  { config }: StrangerDeps,
  platform: string,
  { code, card }: { code: string; card: ChannelCard },
): string {
  const page = consoleUrl(config, `/pair?platform=${platform}`);
  const minutes = Math.round(config.GATEWAY_PAIRING_CODE_TTL / 60);
  return [
    "I do not know you yet. Link your account to write to the agent:",
    `1. Open ${page} and sign in.`,
    `2. Enter the code \`${code}\` and look at what the page says about this bot.`,
    "",
    `${belongsTo(card)} Its owner reads what is written here.`,
    "",
    `The code is good for ${minutes} minutes. Give it to no one. Afterwards write to me again.`,
  ].join("\n");
}

/** At most once an hour for each person. */
async function hint(
  deps: StrangerDeps,
  channel: Channel,
  message: ReceivedMessage,
  events: readonly StoredEvent[],
): Promise<void> {
  const hour = Math.floor(Date.now() / 3_600_000);
  await sendStored(deps, {
    channel,
    sessionKey: events[0]?.sessionKey ?? "",
    place: message.place,
    kind: "message",
    content: PRIVATELY,
    occasion: `hint:${channel.id}:${message.sender.id}:${hour}`,
    replyTo: message.messageId,
    replyTarget: message.replyTarget,
    buttons: [],
    taskId: null,
    person: null,
  });
}
