import type { ChannelAdapter, ChannelApi, Place, Platform, SentMessage } from "#src/channels/channel.ts";
import { chatTypeOfId } from "#src/channels/chat-type.ts";
import { plainText } from "#src/channels/plain-text.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { linkIn } from "#src/domain/messaging/identities/index.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { channelApi, type ApiDeps } from "./channel-api.ts";
import { requireChannel, requireLive } from "./manage-channels.ts";
import { insertSentMessage, noteLastError, type Channel } from "./queries.ts";

interface TestDeps extends ApiDeps {
  db: Db;
  channels: Readonly<Record<Platform, Pick<ChannelAdapter, "label" | "api" | "render">>>;
}

/** Stands for the caller's own account at the channel's platform. */
const SELF = "self";

/**
 * Sends a test text through a channel, to `self` or to `<platform>:<chat id>`. Throws `invalid_input` for a channel that
 * does not work and for a target that is none, `provider_failed` when the platform does not take the text, and as
 * `requireChannel` does.
 */
export async function sendTest(
  deps: TestDeps,
  caller: UserCaller,
  id: string,
  target: string,
): Promise<SentMessage & { jid: string }> {
  const channel = await requireChannel(deps, caller, id);
  requireLive(channel);
  const api = await channelApi(deps, channel).catch((cause: unknown) => {
    throw new AppError("internal", "Internal configuration error", { cause });
  });
  const content = `This is a test message of the channel “${channel.name}”.`;
  const [text] = await deps.channels[channel.channelType].render(content);
  if (!text) throw new Error("The test message has no text");
  const place = await findPlace(deps, caller, { channel, api, target }).catch(refuse);
  const jid = `${channel.channelType}:${place.chatId}`;
  const message = { channelConfigId: channel.id, jid, content };
  try {
    const sent = await api.send(plainText(place, text, newId()));
    const platformMessageId = sent.messageId ?? null;
    await insertSentMessage(deps.db, { ...message, platformMessageId, status: "delivered" });
    if (channel.lastError !== null) await noteLastError(deps.db, channel.id, null);
    return { ...sent, jid };
  } catch (error) {
    if (error instanceof PlatformFailure) {
      await insertSentMessage(deps.db, { ...message, status: "failed", error: error.message });
    }
    return refuse(error);
  }
}

function refuse(error: unknown): never {
  if (!(error instanceof PlatformFailure)) throw error;
  const { message, retryAfterSeconds } = error;
  throw new AppError("provider_failed", `Failed to send test message: ${message}`, { retryAfterSeconds });
}

async function findPlace(
  deps: TestDeps,
  caller: UserCaller,
  { channel, api, target }: { channel: Channel; api: ChannelApi; target: string },
): Promise<Place> {
  const { channelType } = channel;
  if (target === SELF) return api.directPlace(await ownAccount(deps, caller, channel));
  const [platform, ...rest] = target.split(":");
  const chatId = rest.join(":");
  // A command-line channel reaches its owner alone: every other person's terminal is that person's.
  const isForeign = channelType === "cli" && chatId !== caller.userId;
  if (platform !== channelType || chatId === "" || isForeign) {
    throw new AppError("invalid_input", `The target must be \`${SELF}\` or \`${channelType}:<chat id>\``);
  }
  // Phone numbers are written in several ways.
  if (channelType === "whatsapp") return api.directPlace(chatId);
  return { chatId, chatType: chatTypeOfId(chatId), threadId: undefined };
}

async function ownAccount(
  deps: TestDeps,
  { userId }: UserCaller,
  { id, channelType: platform }: Channel,
): Promise<string> {
  // On the command line a person is known by the account itself.
  if (platform === "cli") return userId;
  const own = await linkIn(deps.db, userId, id);
  if (own) return own.platformUserId;
  throw new AppError(
    "invalid_input",
    `No ${deps.channels[platform].label} account is linked with yours in this channel: write to the bot first, or name a chat as \`${platform}:<chat id>\``,
  );
}
