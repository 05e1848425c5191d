import { TRY_LATER } from "#src/lib/close-codes.ts";
import type { Connection } from "../connection.ts";
import type { Followed } from "../protocol.ts";
import { isAskingAfter, type ShownEvent } from "./frames.ts";

/** Characters that may wait for one socket's pace, beyond which it is shown the rest from the log. */
const MAX_WAITING = 1024 * 1024;
/** Characters that are sent together. */
const BATCH = 64 * 1024;
/**
 * Characters that are sent to a socket of which nothing is heard; then it is to come back and go on. Nobody can see how much of
 * what was sent has been taken (see `Pace`); but whoever stands still does not ping either, and clients ping every 30 s, in
 * which no more than this is sent.
 */
const MAX_UNHEARD = 32 * 1024 * 1024;
/** Tasks whose end a socket remembers, so that a late word of one does not show it again. */
const MAX_SHOWN = 32;

interface Waiting {
  id: number;
  type: string;
  text: string;
}

/** One socket that is shown one task. What it has been sent is kept with the socket, so that it goes on there after an eviction. */
export class Follower {
  readonly taskId: string;
  readonly #connection: Connection;
  #waiting: Waiting[] = [];
  #waitingChars = 0;
  /** Id of the last event that was handed over, sent or not. */
  #handed: number;
  #sending: Promise<void> | undefined;
  #isLeft = false;

  constructor(connection: Connection, { taskId, after }: Followed) {
    this.#connection = connection;
    this.taskId = taskId;
    this.#handed = after;
  }

  get after(): number {
    return this.#handed;
  }

  /** Nothing more is to be sent. */
  get isGone(): boolean {
    return this.#isLeft || !this.#connection.isOpen;
  }

  leave(): void {
    this.#isLeft = true;
  }

  /** Skip what the client has already. */
  skipTo(after: number): void {
    if (after <= (this.#kept?.after ?? 0)) return;
    this.#waiting = this.#waiting.filter(({ id }) => id > after);
    this.#waitingChars = this.#waiting.reduce((chars, { text }) => chars + text.length, 0);
    this.#handed = Math.max(this.#handed, after);
    this.#keep({ after });
  }

  /** Hand over what is new, without waiting. Answers false where too much waits: then it is to be read from the log. */
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

  /** Hand over what is new, and wait until it was sent. */
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
      if (!this.isGone) this.#sendNext(count);
    }
  }

  /** What is sent and what is kept of it share one turn: an eviction falls before both or after both. */
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
