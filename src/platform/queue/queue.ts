/** Work to be done later, at least once: a function's name and its payload. */
export interface QueueMessage {
  /** Name of a function, as in `functions/index.ts`. */
  function: string;
  /** JSON value; the function checks it against its own schema. */
  payload: unknown;
  /** Messages with the same id, published within about ten minutes, are delivered as one. */
  deduplicationId?: string;
  /** Earliest delivery, in seconds from now. */
  delaySeconds?: number;
  /** Earliest delivery, as a moment; wins over `delaySeconds`. */
  notBefore?: Date;
  /** Attempts after the first; the queue's default (3) when absent. */
  retries?: number;
}

/** Publishing throws `unavailable` when the queue did not accept the message within about five seconds. */
export interface Queue {
  /** When this resolves the message is durable. */
  publish(message: QueueMessage): Promise<void>;
  /** All messages in one request. */
  publishBatch(messages: readonly QueueMessage[]): Promise<void>;
  /** Whether the queue answers and knows us; for probes. */
  answers(): Promise<boolean>;
}
