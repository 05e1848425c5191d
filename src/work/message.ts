import type { z } from "zod";
import type { QueueMessage } from "#src/platform/queue/queue.ts";

/** What the queue may call, and with what. `functions/index.ts` lists all, with what each does. */
export interface QueueFunction<M, Given = M> {
  /** Unique, also its address: `/functions/{name}`. */
  readonly name: string;
  /** What a message to it says. */
  readonly message: z.ZodType<M, Given>;
}

export function declareFunction<M, Given>(declared: QueueFunction<M, Given>): QueueFunction<M, Given> {
  return declared;
}

/** How a message is delivered. */
export type Delivery = Omit<QueueMessage, "function" | "payload" | symbol>;

/** A message to a declared function. */
export function messageTo<Given>(
  { name }: QueueFunction<unknown, Given>,
  payload: Given,
  delivery: Delivery = {},
): QueueMessage {
  return makeMessage(name, payload, delivery);
}

/** A message to a function whose name and message are known to fit. */
export function makeMessage(name: string, payload: unknown, delivery: Delivery): QueueMessage {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place that makes messages
  return { function: name, payload, ...delivery } as QueueMessage;
}
