import { z } from "zod";
import type { Queue, QueueMessage } from "#src/platform/queue/queue.ts";
import { declareJob, messageOf, type StoredJob } from "#src/work/job.ts";

/** The creator's share of a payment is to be sent, or taken back. Its key is the payment's id. */
export const payoutDue = declareJob({
  name: "pay-creator",
  payload: z.object({ transactionId: z.uuid() }),
});

/** The message of a job that was just stored. */
export function messageOfPayout({ key, generation }: StoredJob): QueueMessage {
  return messageOf({ name: payoutDue.name, key }, { occasion: generation });
}

/** The transaction of a payment that was booked. */
export interface Booked extends Record<string, unknown> {
  id: string;
  /** Generation of the job that sends or takes back the creator's share; null for a payment that moves none. */
  payout: string | null;
}

/** Publishes the job that a booking has stored, if it moves a share. */
export async function publishPayout(
  queue: Pick<Queue, "publish">,
  { id: key, payout: generation }: Booked,
): Promise<void> {
  if (generation !== null) await queue.publish(messageOfPayout({ key, generation }));
}
