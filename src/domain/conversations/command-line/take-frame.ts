import type { ReceivedEvent } from "#src/channels/channel.ts";
import type { ClientFrame } from "#src/channels/cli/index.ts";
import { activeChannel } from "#src/domain/messaging/channels/index.ts";
import { receiveEvents, type InboxDeps } from "#src/domain/messaging/inbox/index.ts";
import type { KeyCaller } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";

/** A conversation on the command line. */
export interface CommandLine {
  channelId: string;
  /** As in `requireCommandLine`. */
  projectId: string | null;
  /** The name of the key's person. */
  userName: string;
}

/**
 * Accepts a message or a click: returns when it is stored. A frame with the `clientId` of an earlier one of the same key is
 * stored once. Throws `not_found` once the channel was ended, and `rate_limited`.
 */
export async function takeFrame(
  deps: InboxDeps,
  caller: KeyCaller,
  line: CommandLine,
  frame: Exclude<ClientFrame, { kind: "ping" }>,
): Promise<void> {
  const channel = await activeChannel(deps.db, line.channelId);
  if (!channel) throw new AppError("not_found", "The channel was ended: connect again");
  const rest = await receiveEvents(deps, channel, [eventOf(caller, line, frame)]);
  if (!rest) return;
  const { retryAfterSeconds } = rest;
  throw new AppError("rate_limited", "Too many messages through this channel", { retryAfterSeconds });
}

function eventOf(
  { keyId, userId }: KeyCaller,
  { projectId, userName }: CommandLine,
  frame: Exclude<ClientFrame, { kind: "ping" }>,
): ReceivedEvent {
  const ownId = frame.clientId ?? newId();
  const common = {
    // Two keys may use the same ids.
    id: `${keyId}:${ownId}`,
    apiKeyId: keyId,
    // The thread is the project, so that what is said of one project never reaches a key of another one.
    place: { chatId: userId, chatType: "dm", threadId: projectId ?? undefined },
    sender: { id: userId, alternateId: undefined, name: userName },
  } as const;
  if (frame.kind === "click") {
    const { data, messageId = "" } = frame;
    return { ...common, kind: "click", data, messageId, confirmation: undefined };
  }
  return {
    ...common,
    kind: "message",
    messageId: ownId,
    replyTarget: undefined,
    text: frame.text,
    isAddressed: true,
    media: [],
    replyTo: undefined,
    sentAt: new Date(),
  };
}
