import type { ChannelAdapter, Platform, WebhookReply, WebhookRequest } from "#src/channels/channel.ts";
import {
  activeChannel,
  noteFailure,
  openSecrets,
  selfOf,
  type Channel,
} from "#src/domain/messaging/channels/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isGuid } from "#src/lib/ids.ts";
import { sameText } from "#src/lib/same-text.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { receiveEvents, type InboxDeps, type Rest } from "./receive-events.ts";

export interface WebhookDeps extends InboxDeps {
  channels: Readonly<
    Record<
      Platform,
      Pick<ChannelAdapter, "handshake" | "verify" | "parse" | "registersWebhook" | "sendsAgain">
    >
  >;
  channelSecrets: Secrets;
  config: { GATEWAY_ENABLED: boolean };
}

/**
 * Accepts a request of a platform to a channel's webhook: returns when everything in it is stored. `secret` is that of the
 * address; requests without one are admitted by their signature alone. Throws `not_found` for a missing or deleted channel,
 * `invalid_input` for a channel of another platform and for a body that is not the platform's, `unauthenticated` for a wrong
 * secret or signature, `forbidden` for a handshake with a wrong token, and `rate_limited` when there were too many events:
 * the platform sends the request again, and the next ones are taken.
 */
export async function receiveWebhook(
  deps: WebhookDeps,
  target: { type: string; channelId: string; secret: string | undefined },
  request: WebhookRequest,
): Promise<WebhookReply> {
  if (!deps.config.GATEWAY_ENABLED)
    throw new AppError("unavailable", "The messaging gateway is switched off");
  const channel = isGuid(target.channelId) ? await activeChannel(deps.db, target.channelId) : undefined;
  if (!channel) throw new AppError("not_found", "Channel config not found");
  if (channel.channelType !== target.type) {
    throw new AppError("invalid_input", "Channel type mismatch between URL and config");
  }
  const { credentials, webhookSecret } = await secretsOf(deps, channel);
  if (target.secret !== undefined && !sameText(target.secret, webhookSecret)) {
    throw new AppError("unauthenticated", "Invalid webhook secret");
  }
  const adapter = deps.channels[channel.channelType];
  const greeting = adapter.handshake(request, credentials);
  if (greeting === null) throw new AppError("forbidden", "Verification failed");
  if (greeting) return greeting;
  const now = Date.now();
  // A secret that proves the platform's calls is good for the webhook that it was made for.
  const isCalled = adapter.registersWebhook !== true || channel.inboundMode === "webhook";
  if (!isCalled) throw new AppError("unauthenticated", "Invalid webhook signature");
  if (!(await adapter.verify(request, { credentials, webhookSecret }, now))) {
    throw new AppError("unauthenticated", "Invalid webhook signature");
  }
  if (channel.provedAt === null) {
    const options = { retryAfterSeconds: PROOF_SECONDS };
    throw new AppError("unavailable", "The platform has not confirmed yet whose bot this is", options);
  }
  const { reply, events } = adapter.parse(request, selfOf(channel), now);
  const rest = await receiveEvents(deps, channel, events);
  if (rest) await refuse(deps, channel, rest);
  return reply;
}

/** An unproved bot is asked about again within a minute. */
const PROOF_SECONDS = 60;

/** Has the platform send the request again. The owner is told of what it will not send again. */
async function refuse(
  deps: WebhookDeps,
  { id, channelType }: Pick<Channel, "id" | "channelType">,
  { events, retryAfterSeconds }: Rest,
): Promise<never> {
  const adapter = deps.channels[channelType];
  if (!events.every((event) => adapter.sendsAgain(event))) await noteFailure(deps.db, id, DROPPED);
  throw new AppError("rate_limited", "Too many events at once: send the rest again", {
    retryAfterSeconds: Math.max(1, retryAfterSeconds),
  });
}

const DROPPED = "More came in a minute than the channel may take, and some of it was dropped.";

async function secretsOf(deps: WebhookDeps, channel: Parameters<typeof openSecrets>[1]) {
  try {
    return await openSecrets(deps, channel);
  } catch (cause) {
    throw new AppError("unavailable", "The channel's credentials cannot be decrypted", { cause });
  }
}
