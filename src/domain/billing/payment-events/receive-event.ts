import { requirePayments } from "#src/domain/billing/provider/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Payments } from "#src/platform/payments/payments.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { messageOfEvent } from "./event-received.ts";
import { handlerOf } from "./handlers.ts";
import { storeEvent } from "./queries.ts";

export interface ReceiveDeps {
  db: Db;
  payments: Payments | undefined;
  queue: Queue;
  log: Log;
}

/**
 * Accepts an event of the payment provider: returns when it is stored and will be handled. Idempotent, so the provider may
 * send it again. An event of the other mode, test or live, is acknowledged and not stored: a refusal would make the provider
 * repeat it for days. Throws `unauthenticated` for a wrong signature or time, `unavailable` where payments are not configured.
 */
export async function receiveEvent(
  deps: ReceiveDeps,
  delivery: { body: Uint8Array; signature: string | null },
): Promise<void> {
  const { id, type, objectId, isOwnMode } = await requirePayments(deps).verifyWebhook(delivery);
  if (!isOwnMode) {
    deps.log.warn("a payment event of the other mode, test or live, is ignored", { event_id: id, type });
    return;
  }
  const isHandled = handlerOf(type) !== undefined && objectId !== undefined;
  const generation = await storeEvent(deps.db, {
    id,
    type,
    objectId: objectId ?? null,
    status: isHandled ? "received" : "ignored",
  });
  // One that is there but not handled may never have been published.
  if (generation) await deps.queue.publish(messageOfEvent(id, generation));
}
