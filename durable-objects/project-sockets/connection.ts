import { closingAfter, sentenceOf, type Closing } from "#src/lib/close-codes.ts";
import { Pace } from "./pace.ts";
import { SocketState, type ServerFrame } from "./protocol.ts";

/** A close reason has at most 123 bytes (RFC 6455, 5.5). */
const MAX_REASON = 120;

/** One socket with what is kept of it over eviction. */
export class Connection {
  readonly socket: WebSocket;
  readonly pace = new Pace();
  #state: SocketState;

  /** `state` for a socket that was just accepted; one that was there before has its own. */
  constructor(socket: WebSocket, state?: SocketState) {
    this.socket = socket;
    this.#state = state ?? SocketState.parse(socket.deserializeAttachment());
    if (state) socket.serializeAttachment(state);
  }

  get state(): Readonly<SocketState> {
    return this.#state;
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  keep(change: Partial<SocketState>): void {
    this.#state = { ...this.#state, ...change };
    // One that is closed keeps nothing.
    if (this.isOpen) this.socket.serializeAttachment(this.#state);
  }

  /** To somebody who has gone there is nothing to say. */
  send(frame: ServerFrame): void {
    if (this.isOpen) this.socket.send(JSON.stringify(frame));
  }

  close({ code, reason }: Closing): void {
    if (this.isOpen) this.socket.close(code, reason.slice(0, MAX_REASON));
  }

  /** Say what went wrong and close. */
  fail(error: unknown): void {
    this.send({ type: "error", message: sentenceOf(error) });
    this.close(closingAfter(error));
  }
}
