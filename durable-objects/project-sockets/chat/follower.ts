import { TRY_LATER } from "#src/lib/close-codes.ts";
import type { Connection } from "../connection.ts";
import type { Followed } from "../protocol.ts";
import { isAskingAfter, type ShownEvent } from "./frames.ts";

/** Most characters that wait for one socket's pace; above it the rest is read from the log. */
const MAX_WAITING = 1024 * 1024;
/** Characters that are sent together. */
const BATCH = 64 * 1024;
/**
 * Most characters sent to a socket without hearing from its client; then the socket is closed, and the client
 * reconnects and resumes. The runtime does not show how much of the sent data was received (see `Pace`), but a stalled
 * client does not ping either. Clients ping every 30 s, and less than this is sent in that time.
 */
const MAX_UNHEARD = 32 * 1024 * 1024;
/** Ended tasks that a socket remembers, so that a late notice does not show them again. */
const MAX_SHOWN = 32;

interface Waiting {
  id: number;
  type: string;
  text: string;
}

/** Access to another person's task. */
export interface Access {
  /** Throws when the reader may no longer read the task. */
  hold: () => Promise<void>;
  /** Is told of that once; the follower has left. */
  lost: (error: unknown) => void;
}

/**
 * Shows one task on one socket. The last event sent is stored with the socket, so that it resumes there after an
 * eviction.
 */
export class Follower {
  readonly taskId: string;
  readonly #connection: Connection;
  #waiting: Waiting[] = [];
  #waitingChars = 0;
  /** Id of the last event that was handed over, sent or not. */
  #handed: number;
  #sending: Promise<void> | undefined;
  #isLeft = false;
  readonly #access: Access | undefined;

  /** `access` is that to another person's task: nothing is sent without it. */
  constructor(connection: Connection, { taskId, after }: Followed, access?: Access) {
    this.#connection = connection;
    this.#access = access;
    this.taskId = taskId;
    this.#handed = after;
  }

  get after(): number {
    return this.#handed;
  }

  /** Whether nothing more is to be sent. */
  get isGone(): boolean {
    return this.#isLeft || !this.#connection.isOpen;
  }

  leave(): void {
    this.#isLeft = true;
  }

  /** Skips events that the client already has. */
  skipTo(after: number): void {
    if (after <= (this.#kept?.after ?? 0)) return;
    this.#waiting = this.#waiting.filter(({ id }) => id > after);
    this.#waitingChars = this.#waiting.reduce((chars, { text }) => chars + text.length, 0);
    this.#handed = Math.max(this.#handed, after);
    this.#keep({ after });
  }

  /**
   * Hands over new events without waiting. Returns false when too much waits: the follower then reads the rest from the
   * log.
   */
  give(events: readonly ShownEvent[]): boolean {
    this.#put(events);
    if (this.#waitingChars <= MAX_WAITING) {
      void this.#flush();
      return true;
    }
    this.#waiting = [];
    this.#waitingChars = 0;
    this.#handed = this.#kept?.after ?? this.#handed;
    return false;
  }

  /** Hands over new events, and waits until they were sent. */
  async take(events: readonly ShownEvent[]): Promise<void> {
    this.#put(events);
    await this.#flush();
  }

  get #kept(): Followed | undefined {
    return this.#connection.state.following?.find(({ taskId }) => taskId === this.taskId);
  }

  #put(events: readonly ShownEvent[]): void {
    const isDirect = this.#kept?.direct ?? false;
    for (const event of events) {
      const { id, type } = event;
      if (id <= this.#handed) continue;
      this.#handed = id;
      const text = isDirect ? event.direct : event.wrapped;
      this.#waiting.push({ id, type, text });
      this.#waitingChars += text.length;
    }
  }

  #flush(): Promise<void> {
    this.#sending ??= this.#send().finally(() => (this.#sending = undefined));
    return this.#sending;
  }

  async #send(): Promise<void> {
    while (this.#waiting.length > 0 && !this.isGone) {
      let [count, chars] = [0, 0];
      while (count < this.#waiting.length && chars < BATCH) chars += this.#waiting[count++]?.text.length ?? 0;
      await this.#connection.pace.take(chars);
      if (this.#access && !(await this.#isHeld(this.#access))) return;
      if (!this.isGone) this.#sendNext(count);
    }
  }

  async #isHeld(access: Access): Promise<boolean> {
    try {
      await access.hold();
      return true;
    } catch (error) {
      if (this.#isLeft) return false;
      this.#isLeft = true;
      this.#waiting = [];
      access.lost(error);
      return false;
    }
  }

  /** Sending and recording what was sent share one turn: an eviction happens before both or after both. */
  #sendNext(count: number): void {
    const batch = this.#waiting.splice(0, count);
    for (const { text } of batch) {
      this.#connection.sendText(text);
      this.#waitingChars -= text.length;
    }
    const last = batch.at(-1);
    if (!last) return;
    const asking = isAskingAfter(this.#kept?.asking ?? false, batch);
    if (last.type === "done") this.#end();
    else this.#keep({ after: last.id, asking });
    if (this.#connection.unheard > MAX_UNHEARD) this.#connection.close(TRY_LATER);
  }

  #keep(change: Partial<Followed>): void {
    const following = this.#connection.state.following?.map((each) =>
      each.taskId === this.taskId ? { ...each, ...change } : each,
    );
    this.#connection.keep({ following });
  }

  #end(): void {
    this.#isLeft = true;
    const { following = [], shown = [] } = this.#connection.state;
    this.#connection.keep({
      following: following.filter(({ taskId }) => taskId !== this.taskId),
      shown: [...shown, this.taskId].slice(-MAX_SHOWN),
    });
  }
}
