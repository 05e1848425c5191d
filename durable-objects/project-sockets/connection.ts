import { closingAfter, sentenceOf, type Closing } from "#src/lib/close-codes.ts";
import { Unheard } from "#durable-objects/lib/unheard.ts";
import { errorFrame } from "./chat/frames.ts";
import { Pace } from "./pace.ts";
import { isShownTasks, SocketState, type ServerFrame } from "./protocol.ts";

/** A close reason has at most 123 bytes (RFC 6455, 5.5). */
const MAX_REASON = 120;

/** One socket with its state, which survives eviction. */
export class Connection {
  readonly socket: WebSocket;
  readonly pace = new Pace();
  readonly #unheard: Unheard;
  #state: SocketState;

  /**
   * `state` is given for a socket that was just accepted; an existing socket has its own. `lastPing` returns when a
   * ping was last replied to without waking the object, in milliseconds since the epoch, or 0.
   */
  constructor(socket: WebSocket, lastPing: () => number, state?: SocketState) {
    this.socket = socket;
    this.#unheard = new Unheard(lastPing);
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
    // A closed socket stores nothing.
    if (this.isOpen) this.socket.serializeAttachment(this.#state);
  }

  /** Characters sent since the client was last heard. */
  get unheard(): number {
    return this.#unheard.characters;
  }

  /** The client has sent a frame. */
  heard(): void {
    this.#unheard.heard();
  }

  /** Sends a frame; does nothing on a closed socket. */
  send(frame: ServerFrame): void {
    this.sendText(JSON.stringify(frame));
  }

  sendText(text: string): void {
    if (!this.isOpen) return;
    this.#unheard.sent(text.length);
    this.socket.send(text);
  }

  /** Reports an error, in the format of this kind of socket. */
  tell(error: unknown, about?: Parameters<typeof errorFrame>[1]): void {
    if (isShownTasks(this.#state.kind)) this.send(errorFrame(error, about));
    else this.send({ type: "error", message: sentenceOf(error) });
  }

  close({ code, reason }: Closing): void {
    if (this.isOpen) this.socket.close(code, reason.slice(0, MAX_REASON));
  }

  /** Reports an error and closes the socket. */
  fail(error: unknown): void {
    this.tell(error);
    this.close(closingAfter(error));
  }
}
