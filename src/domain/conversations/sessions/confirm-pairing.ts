import type { Place } from "#src/channels/channel.ts";
import { activeChannel, channelApi } from "#src/domain/messaging/channels/index.ts";
import { sendStored, type OutboxDeps } from "#src/domain/messaging/deliveries/index.ts";
import type { Identity } from "#src/domain/messaging/identities/index.ts";
import { sessionKeyOf } from "#src/domain/messaging/inbox/index.ts";

/**
 * Tells a person on the platform that the account is linked, through the channel that sent the code. Never throws: the
 * account is linked in any case.
 */
export async function confirmPairing(deps: OutboxDeps, identity: Identity): Promise<void> {
  const { id, userId, channelConfigId, platform, platformUserId, pairedAt } = identity;
  try {
    const channel = await activeChannel(deps.db, channelConfigId);
    if (!channel || userId === null) return;
    const place: Place = await (await channelApi(deps, channel)).directPlace(platformUserId);
    await sendStored(deps, {
      channel,
      sessionKey: sessionKeyOf(platform, place),
      place,
      kind: "message",
      content: "Your account is linked. Write what the agent should do, or /help.",
      occasion: `paired:${id}:${pairedAt?.getTime() ?? 0}`,
      replyTo: undefined,
      replyTarget: undefined,
      buttons: [],
      taskId: null,
      person: { userId, identityId: id },
    });
  } catch (cause) {
    deps.log.warn("a pairing could not be confirmed in its chat", { identity_id: id, cause });
  }
}
