import { resync, type ShardDeps } from "#src/domain/messaging/gateway/index.ts";
import type { LostAccess } from "#src/domain/access/permissions/index.ts";
import { channelNotice, sendNotice, type MailDeps } from "#src/domain/operations/mail/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { LOSS_SENTENCES } from "./losses.ts";
import { endLostChannels } from "./queries.ts";

/**
 * Ends the channels whose owners have lost the right to them, with their connections, and tells the owners by mail. No use of
 * such a channel waits for this. Idempotent.
 */
export async function endChannelsOf(
  deps: MailDeps & ShardDeps & { db: Db },
  lost: LostAccess,
): Promise<void> {
  // Keys own no channels.
  if ("keyId" in lost) return;
  const ended = await endLostChannels(deps.db, lost);
  const shards = new Set(ended.map(({ gatewayShard }) => gatewayShard % deps.config.GATEWAY_NUM_SHARDS));
  await Promise.all([
    ...[...shards].map((shard) => resync(deps, shard)),
    ...ended.map(({ name, loss, email }) =>
      loss === null || loss === "account_disabled"
        ? undefined
        : sendNotice(deps, email, channelNotice({ name, text: LOSS_SENTENCES[loss] })),
    ),
  ]);
}
