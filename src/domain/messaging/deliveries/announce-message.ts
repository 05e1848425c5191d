import { shardOf } from "#src/domain/messaging/channels/index.ts";
import type { DeliveryStream, TakenEntry } from "#src/platform/redis/delivery-stream.ts";
import { deliverMessage, NO_REDIS, type DeliverDeps } from "./deliver-message.ts";
import { failMessages } from "./queries/attempts.ts";
import { streamEntry, type DescribedMessage } from "./stream-entry.ts";

export interface AnnounceDeps extends DeliverDeps {
  config: { GATEWAY_NUM_SHARDS: number };
}

/** A message of the outbox for the stream of its channel's shard. */
interface AnnouncedMessage extends Omit<DescribedMessage, "attempt"> {
  shard: number;
}

/** Entries that one process takes at once. */
const TAKEN = 10;

let isToldOfNoRedis = false;

/**
 * Puts a stored message into the stream of replies and sends what the stream has for its shard. Never throws: what is not
 * sent now is sent by a later attempt. Without Redis nothing is sent, and the message says so.
 */
export async function announceMessage(deps: AnnounceDeps, message: AnnouncedMessage): Promise<void> {
  try {
    const stream = deps.deliveryStream;
    if (stream) return await sendWithFiles(deps, stream, message);
    if (!isToldOfNoRedis) deps.log.warn("the service runs without Redis: nothing is sent to platforms");
    isToldOfNoRedis = true;
    await failMessages(deps.db, [message.id, ...message.artifactIds], NO_REDIS);
  } catch (cause) {
    deps.log.warn("a message was not sent yet", { message_id: message.id, cause });
  }
}

async function sendWithFiles(
  deps: AnnounceDeps,
  stream: DeliveryStream,
  message: AnnouncedMessage,
): Promise<void> {
  await sendThrough(deps, stream, message);
  // The files follow their text by themselves, unless the text was sent before they were stored.
  const [first] = message.artifactIds;
  if (first !== undefined) await deliverMessage(deps, first);
}

async function sendThrough(
  deps: AnnounceDeps,
  stream: DeliveryStream,
  message: AnnouncedMessage,
): Promise<void> {
  let taken: TakenEntry[];
  try {
    taken = await stream.appendAndTake(streamEntry({ ...message, attempt: 1 }), message.shard, TAKEN);
  } catch (cause) {
    // The row is the truth; the stream only says who sends it.
    deps.log.warn("the stream of replies does not respond", { cause });
    return deliverMessage(deps, message.id);
  }
  await deliverTaken(deps, stream, message.shard, taken);
}

/** Sends what entries announce, and acknowledges each once its row is settled or has its next attempt. */
async function deliverTaken(
  deps: AnnounceDeps,
  stream: DeliveryStream,
  shard: number,
  taken: readonly TakenEntry[],
): Promise<void> {
  await Promise.all(
    taken.map(async ({ id, configId, deliveryId }) => {
      const isOwn = deliveryId !== "" && shardOf(configId, deps.config.GATEWAY_NUM_SHARDS) === shard;
      if (isOwn) await deliverMessage(deps, deliveryId);
      await stream.acknowledge(shard, [id]);
    }),
  );
}

/** Sends what consumers took and did not acknowledge: they died. */
export async function deliverAbandoned(deps: AnnounceDeps): Promise<void> {
  const stream = deps.deliveryStream;
  if (!stream) return;
  for (let shard = 0; shard < deps.config.GATEWAY_NUM_SHARDS; shard += 1) {
    await deliverTaken(deps, stream, shard, await stream.takeAbandoned(shard, TAKEN));
  }
}
