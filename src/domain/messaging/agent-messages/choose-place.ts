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
  for (const { channel, linkIds } of candidates) {
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
    const linked = (session: Session) =>
      session.userId === userId && session.identityId !== null && linkIds.includes(session.identityId);
    const known = sessions.filter(
      (session) => session.channelConfigId === channel.id && (isOwn || linked(session)),
    );
    const found = placeIn(known, targets);
    if (found) return { channel, place: found.place, identityId: isOwn ? null : found.identityId };
  }
  return undefined;
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
): { place: Place; identityId: string | null } | undefined {
  for (const session of sessions) {
    const {
      platformChatId: chatId,
      platformChatType: chatType,
      platformThreadId,
      senderId,
      identityId,
    } = session;
    const threadId = platformThreadId ?? undefined;
    const place = { chatId, chatType, threadId };
    if (targets.includes(chatId)) return { place: { ...place, threadId: undefined }, identityId };
    const isThread = threadId !== undefined && targets.includes(`${chatId}:${threadId}`);
    if (isThread || (chatType === "dm" && isPerson(senderId, targets))) return { place, identityId };
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
