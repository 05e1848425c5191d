import type { Platform } from "#src/channels/channel.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { findPlace, type FindDeps, type FoundPlace } from "#src/domain/messaging/agent-messages/index.ts";
import { activeChannel } from "#src/domain/messaging/channels/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Target } from "./parse-targets.ts";
import { originChat } from "./queries.ts";

/** The chat of a platform that a schedule was made in. */
export interface ScheduleOrigin {
  platform: Platform;
  /** Null once the channel's row is gone. */
  channelId: string | null;
  chatId: string;
  chatType: "dm" | "group" | null;
  threadId: string | null;
}

/** For whom a target is looked up. */
export interface Recipient {
  userId: string;
  projectId: string;
  apiKeyId: string | null;
  taskId: string;
  /** Null for a schedule that was not made in a chat of a platform. */
  origin: ScheduleOrigin | null;
}

/** What a target comes to: a place; nothing, because the result stays in the project; or a reason why not, as a sentence. */
export type Resolved = { place: FoundPlace } | { inApp: true } | { error: string };

/** Finds the place of a target. */
export async function resolveTarget(deps: FindDeps, recipient: Recipient, target: Target): Promise<Resolved> {
  const { origin } = recipient;
  if (target.kind === "origin") return origin ? resolveOrigin(deps, recipient, origin) : { inApp: true };
  const { platform } = target;
  const task = { id: recipient.taskId, ...recipient };
  try {
    const place = await findPlace(deps, task, {
      platform,
      target: target.kind === "chat" ? target.chatId : undefined,
      preferredChannelId: origin?.platform === platform ? origin.channelId : null,
      reachesAnyChat: true,
    });
    return place instanceof PlatformFailure ? { error: place.message } : { place };
  } catch (error) {
    if (error instanceof AppError && !error.retryable) return { error: error.message };
    throw error;
  }
}

async function resolveOrigin(
  deps: FindDeps,
  recipient: Recipient,
  origin: ScheduleOrigin,
): Promise<Resolved> {
  const { channelId, chatId, threadId } = origin;
  const { label } = deps.channels[origin.platform];
  const channel = channelId === null ? undefined : await activeChannel(deps.db, channelId);
  if (!channel) return { error: `The ${label} channel that the schedule was made in was deleted` };
  const found = await originChat(deps.db, recipient, { channelId: channel.id, chatId });
  if (!found) {
    return {
      error: `The schedule may no longer write to the ${label} chat that it was made in: its owner is not linked there, or has no access to the channel's project`,
    };
  }
  const place = { chatId, chatType: origin.chatType ?? "dm", threadId: threadId ?? undefined } as const;
  return { place: { channel, place, identityId: found.identityId } };
}
