declare const isDeclared: unique symbol;

/** What a function of the queue is called with. Made by `messageTo` and `messageOf` of `src/work` alone: they know its form. */
interface Call {
  /** Name of a function, as in `functions/index.ts`. */
  function: string;
  /** A JSON value; the function checks it against its schema. */
  payload: unknown;
  /** For the compiler alone. */
  readonly [isDeclared]: true;
}

/** A message: a call of a function, delivered at least once. */
export interface QueueMessage extends Call {
  /** Messages with the same id, published within about ten minutes, are delivered as one. */
  deduplicationId?: string;
  /** Earliest delivery, in seconds from now. */
  delaySeconds?: number;
  /** Earliest delivery, as a date; takes precedence over `delaySeconds`. */
  notBefore?: Date;
  /** Attempts after the first; the queue's default (3) when absent. */
  retries?: number;
  /**
   * Whether the program that publishes the message does itself what it says, where it can: `publish` then resolves once that is
   * done, or the queue has the message for when it is not. See `functions/at-once.ts`.
   */
  atOnce?: boolean;
  /**
   * With `atOnce`: the message that the queue has meanwhile, for when the program dies. Messages whose nets have an equal
   * `deduplicationId` share that one, which therefore does what each of them says. Without it, the queue has the message itself.
   */
  net?: QueueMessage;
  /**
   * Whose share of the queue the message takes: the id of a person or project. However many messages of one kind they have,
   * only some are delivered at the same time. Without it the message waits for no others.
   */
  shareOf?: string | undefined;
}

/** A message that the queue publishes again and again. */
export interface QueueSchedule extends Pick<QueueMessage, keyof Call | "retries"> {
  /** Letters, digits, `_`, `.` and `-`. */
  id: string;
  /** Five fields, in UTC; Sunday is 0. */
  cron: string;
}

/** Publishing throws `unavailable` when the queue has not accepted the message within about five seconds. */
export interface Queue {
  /** Resolves when the message is durable. */
  publish(message: QueueMessage): Promise<void>;
  /** Publishes all messages, a hundred in each request. Where one request fails, those before it are published. */
  publishBatch(messages: readonly QueueMessage[]): Promise<void>;
  /**
   * Creates the schedule, or replaces the one with its id; may be repeated. Throws as publishing does. The first message
   * may take the queue a minute longer, and minutes may be missed.
   */
  ensureSchedule(schedule: QueueSchedule): Promise<void>;
  /** Whether the queue responds and accepts our credentials; for probes. */
  answers(): Promise<boolean>;
}

/** A queue whose urgent messages go to `act` instead. */
export function hastening(queue: Queue, act: (message: QueueMessage) => Promise<void>): Queue {
  return {
    ...queue,
    publish: (message) => (message.atOnce === true ? act(message) : queue.publish(message)),
  };
}
