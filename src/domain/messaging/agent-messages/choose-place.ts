import type { Place, Platform } from "#src/channels/channel.ts";
import { chatTypeOfId } from "#src/channels/chat-type.ts";
import type { Channel } from "#src/domain/messaging/channels/index.ts";
import type { Identity } from "#src/domain/messaging/identities/index.ts";
import type { Candidate, Reach, Session } from "./queries.ts";

/** Where a message goes: to a chat, or to the private chat of a sender, which the platform names. */
export type Chosen = { channel: Channel; identityId: string | null } & (
  | { place: Place }
  | { senderId: string }
);

/** The forms in which rows may have a target: platforms and people write phone numbers in several ways. */
export function spellingsOf(platform: Platform, target: string): string[] {
  const named = target.startsWith(`${platform}:`) ? target.slice(platform.length + 1) : target;
  if (platform !== "whatsapp" && platform !== "signal") return [named];
  const digits = named.replaceAll(/[\s()+.-]/gu, "");
  return /^\d{5,15}$/u.test(digits) ? [...new Set([named, digits, `+${digits}`])] : [named];
}

/** Where a message without a target goes: the person's home on the platform, or else the person's private chat. */
export function chooseOwn({ candidates, identities, sessions }: Reach): Chosen | undefined {
  // What another owner said is a home counts after the person's own.
  const ownFirst = candidates.toSorted((one, other) => Number(other.isOwn) - Number(one.isOwn));
  for (const { channel, linkIds } of ownFirst) {
    const home = identities.find(
      ({ id, homeChannelConfigId }) => homeChannelConfigId === channel.id && linkIds.includes(id),
    );
    if (home?.homeChatId)
      return { channel, place: homeOf(home, home.homeChatId, sessions), identityId: home.id };
  }
  return chooseDirect({ candidates, sessions }, identities);
}

/**
 * Where a message with a target may go: to the user's own identity or home, to a chat of the user, and through the user's
 * own channels to every chat that they know. Undefined for every other target.
 */
export function chooseTarget(reach: Reach, targets: readonly string[]): Chosen | undefined {
  const { userId, candidates, identities, sessions } = reach;
  const named = identities.filter(({ platformUserId }) => isPerson(platformUserId, targets));
  const direct = chooseDirect(reach, named);
  if (direct) return direct;
  for (const { channel, isOwn, linkIds } of candidates) {
    const home = identities.find(
      ({ id, homeChannelConfigId, homeChatId }) =>
        homeChannelConfigId === channel.id &&
        linkIds.includes(id) &&
        homeChatId !== null &&
        targets.includes(homeChatId),
    );
    if (home?.homeChatId)
      return { channel, place: homeOf(home, home.homeChatId, sessions), identityId: home.id };
    const known = sessions.filter(
      (session) =>
        session.channelConfigId === channel.id &&
        (session.userId === userId ? isLinked(session, linkIds) : isOwn),
    );
    const found = placeIn(known, targets);
    if (found) {
      // In an own channel the chats of others need no link of the person's.
      const { userId: writer, identityId } = found.session;
      return { channel, place: found.place, identityId: writer === userId ? identityId : null };
    }
  }
  return undefined;
}

const isLinked = ({ identityId }: Session, linkIds: readonly string[]) =>
  identityId !== null && linkIds.includes(identityId);

/** Whether a target is a chat in which the person wrote, and is no longer linked: nothing is sent there any more. */
export function isLeft({ userId, candidates, sessions }: Reach, targets: readonly string[]): boolean {
  const left = sessions.filter(
    (session) =>
      session.userId === userId &&
      !candidates.some(
        ({ channel, linkIds }) => channel.id === session.channelConfigId && isLinked(session, linkIds),
      ),
  );
  return placeIn(left, targets) !== undefined;
}

/** Prefers a channel that one of these persons has written to in private: others may not be allowed to begin. */
function chooseDirect(
  { candidates, sessions }: Pick<Reach, "candidates" | "sessions">,
  persons: readonly Identity[],
): Chosen | undefined {
  const reached = ({ channel }: Candidate, { platformUserId }: Identity) =>
    sessions.some(
      (session) =>
        session.channelConfigId === channel.id &&
        session.platformChatType === "dm" &&
        session.senderId === platformUserId,
    );
  const pairs = candidates.flatMap((candidate) =>
    persons.filter(({ id }) => candidate.linkIds.includes(id)).map((person) => ({ candidate, person })),
  );
  const pair = pairs.find(({ candidate, person }) => reached(candidate, person)) ?? pairs[0];
  return (
    pair && {
      channel: pair.candidate.channel,
      senderId: pair.person.platformUserId,
      identityId: pair.person.id,
    }
  );
}

function isPerson(id: string, targets: readonly string[]): boolean {
  // Of Slack the workspace stands before the person.
  return targets.includes(id) || targets.includes(id.slice(id.indexOf(":") + 1));
}

function placeIn(
  sessions: readonly Session[],
  targets: readonly string[],
): { place: Place; session: Session } | undefined {
  for (const session of sessions) {
    const { platformChatId: chatId, platformChatType: chatType, platformThreadId, senderId } = session;
    const threadId = platformThreadId ?? undefined;
    const place = { chatId, chatType, threadId };
    if (targets.includes(chatId)) return { place: { ...place, threadId: undefined }, session };
    const isThread = threadId !== undefined && targets.includes(`${chatId}:${threadId}`);
    if (isThread || (chatType === "dm" && isPerson(senderId, targets))) return { place, session };
  }
  return undefined;
}

function homeOf(home: Identity, chatId: string, sessions: readonly Session[]): Place {
  const session = sessions.find(
    ({ channelConfigId, platformChatId }) =>
      channelConfigId === home.homeChannelConfigId && platformChatId === chatId,
  );
  const chatType = session?.platformChatType ?? chatTypeOfId(chatId);
  return { chatId, chatType, threadId: home.homeThreadId ?? undefined };
}
