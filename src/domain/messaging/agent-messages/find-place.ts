import type { ChannelAdapter, Place, Platform } from "#src/channels/channel.ts";
import { chatTypeOfId } from "#src/channels/chat-type.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { channelApi, type ApiDeps, type Channel } from "#src/domain/messaging/channels/index.ts";
import { jidOf } from "#src/domain/messaging/inbox/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Db } from "#src/platform/db/client.ts";
import { chooseOwn, chooseTarget, isLeft, spellingsOf, type Chosen } from "./choose-place.ts";
import { exchangedChat, readReach, type Reach, type SendingTask } from "./queries.ts";

export interface FindDeps extends ApiDeps {
  db: Db;
  channels: Readonly<Record<Platform, Pick<ChannelAdapter, "api" | "label">>>;
}

export interface Sought {
  platform: Platform;
  /** Undefined for the person's home or private chat. */
  target: string | undefined;
  /** The channel that is taken when several can. */
  preferredChannelId?: string | null;
  /**
   * Whether the person chose the target, who may write through an own channel to every chat. Else a chat must be known: an
   * agent may have read its target in a text of a stranger.
   */
  reachesAnyChat?: boolean;
}

/** A place that a task may write to, and the channel that it is written to through. */
export interface FoundPlace {
  channel: Channel;
  place: Place;
  /** The link by which the person is reached; null for a chat that the person chose in an own channel. */
  identityId: string | null;
}

/**
 * Finds where a task's message goes. Returns the failure of a platform that does not tell where a person is written to.
 * Throws `not_found` when the person has no channel or no account of the platform, and `forbidden` for a target that the
 * person's channels do not know.
 */
export async function findPlace(
  deps: FindDeps,
  task: SendingTask,
  sought: Sought,
): Promise<FoundPlace | PlatformFailure> {
  const chosen = await choose(deps, task, sought);
  const place = await placeOf(deps, chosen);
  if (place instanceof PlatformFailure) return place;
  return { channel: chosen.channel, place, identityId: chosen.identityId };
}

async function choose(
  deps: FindDeps,
  task: SendingTask,
  { platform, target, preferredChannelId, reachesAnyChat = false }: Sought,
): Promise<Chosen> {
  const { label } = deps.channels[platform];
  const targets = target === undefined ? [] : spellingsOf(platform, target);
  const reach = await readReach(deps.db, task, { platform, targets, preferredChannelId });
  if (reach.candidates.length === 0) {
    throw new AppError(
      "not_found",
      `No ${label} channel is connected. A person connects one under Settings → Channels`,
    );
  }
  const chosen =
    platform === "cli"
      ? chooseTerminal(reach, task, targets)
      : target === undefined
        ? chooseOwn(reach)
        : await chooseNamed(deps, task, reach, { platform, target, targets, reachesAnyChat });
  if (chosen) return chosen;
  if (target === undefined) {
    throw new AppError(
      "not_found",
      `No ${label} account of the person is linked in a channel that this project may use. The person links one by writing to the bot in private`,
    );
  }
  throw new AppError(
    "forbidden",
    `The ${label} channel may not write to ${target.slice(0, 80)}: it writes to the person's own linked account, and to chats that it has exchanged messages with`,
  );
}

/** The place of a target, in all its spellings. */
async function chooseNamed(
  deps: FindDeps,
  { projectId }: SendingTask,
  reach: Reach,
  {
    platform,
    target,
    targets,
    reachesAnyChat,
  }: Pick<Sought, "platform" | "reachesAnyChat"> & { target: string; targets: readonly string[] },
): Promise<Chosen | undefined> {
  // A text of one project may tell its agent to write into a group of another one: only the person chooses so.
  const known = reachesAnyChat ? reach : ofProject(reach, projectId);
  const chosen = chooseTarget(known, targets);
  if (chosen) return chosen;
  if (isLeft(reach, targets)) return undefined;
  const exchanging = reachesAnyChat ? reach.candidates : near(reach, projectId);
  const exchanged = await chooseExchanged(deps, exchanging, platform, targets);
  if (exchanged || !reachesAnyChat) return exchanged;
  return chooseUnknown(reach, target);
}

/** Channels of the task's project, or of none. */
const near = ({ candidates }: Reach, projectId: string) =>
  candidates.filter(({ channel }) => channel.projectId === null || channel.projectId === projectId);

/** The same without chats in channels of other projects, but for the person's own private ones. */
function ofProject(reach: Reach, projectId: string): Reach {
  const ids = new Set(near(reach, projectId).map(({ channel }) => channel.id));
  const sessions = reach.sessions.filter(
    ({ channelConfigId, userId, platformChatType }) =>
      ids.has(channelConfigId) || (userId === reach.userId && platformChatType === "dm"),
  );
  return { ...reach, sessions };
}

/** The person's terminals, through a channel of the task's project or of none: what is said of a project stays with its keys. */
function chooseTerminal(
  { candidates }: Reach,
  { userId, projectId }: SendingTask,
  targets: readonly string[],
): Chosen | undefined {
  if (targets.length > 0 && !targets.includes(userId)) return undefined;
  const found = candidates.find(
    ({ channel, isOwn }) => isOwn && (channel.projectId === null || channel.projectId === projectId),
  );
  if (!found) return undefined;
  const threadId = found.channel.projectId ?? undefined;
  return { channel: found.channel, place: { chatId: userId, chatType: "dm", threadId }, identityId: null };
}

/** A chat without sessions that an own channel has written to: its owner tested it, or a schedule's result went there. */
async function chooseExchanged(
  { db }: FindDeps,
  candidates: Reach["candidates"],
  platform: Platform,
  targets: readonly string[],
): Promise<Chosen | undefined> {
  const own = candidates.filter(({ isOwn }) => isOwn).map(({ channel }) => channel);
  const jids = targets.map((target) => jidOf(platform, target));
  const found = await exchangedChat(
    db,
    own.map(({ id }) => id),
    jids,
  );
  const channel = own.find(({ id }) => id === found?.channelId);
  if (!found || !channel) return undefined;
  const chatId = found.jid.slice(platform.length + 1);
  return {
    channel,
    place: { chatId, chatType: found.chatType ?? "dm", threadId: undefined },
    identityId: null,
  };
}

/** A chat that only the owner of the channel knows of. */
function chooseUnknown({ candidates }: Reach, chatId: string): Chosen | undefined {
  const channel = candidates.find(({ isOwn }) => isOwn)?.channel;
  if (!channel) return undefined;
  // Phone numbers are written in several ways.
  if (channel.channelType === "whatsapp") return { channel, senderId: chatId, identityId: null };
  return {
    channel,
    place: { chatId, chatType: chatTypeOfId(chatId), threadId: undefined },
    identityId: null,
  };
}

/** Returns the failure of a platform that does not tell where a person is written to. */
async function placeOf(deps: FindDeps, chosen: Chosen): Promise<Place | PlatformFailure> {
  if ("place" in chosen) return chosen.place;
  try {
    const api = await channelApi(deps, chosen.channel);
    return await api.directPlace(chosen.senderId);
  } catch (error) {
    if (error instanceof PlatformFailure) return error;
    const sentence = "The channel's credentials cannot be decrypted: a person must enter them again";
    return new PlatformFailure("unauthorized", sentence, { cause: error });
  }
}
