import { Unheard } from "#durable-objects/lib/unheard.ts";
import { closingAfter, sentenceOf, TRY_LATER, type Closing } from "#src/lib/close-codes.ts";
import { AppError } from "#src/lib/errors.ts";
import type { CommandLineServerFrame } from "#src/wire/command-line.ts";
import type { FrameStore } from "./frame-store.ts";
import { ClientState } from "./protocol.ts";

/** Most characters sent to a client that says nothing. The client connects again, and goes on after what it has. */
const MAX_UNHEARD = 8 * 1024 * 1024;

/** One command-line client: its socket, with state that survives eviction. */
export class Client {
  readonly socket: WebSocket;
  readonly #unheard: Unheard;
  #state: ClientState;
  /** Frames of the client are handled one after the other. */
  #receiving: Promise<void> = Promise.resolve();
  #waiting = 0;

  /** `state` is given for a socket that was just accepted; an existing socket has its own. */
  constructor(socket: WebSocket, lastPing: () => number, state?: ClientState) {
    this.socket = socket;
    this.#unheard = new Unheard(lastPing);
    this.#state = state ?? ClientState.parse(socket.deserializeAttachment());
    if (state) socket.serializeAttachment(state);
  }

  get state(): Readonly<ClientState> {
    return this.#state;
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** Frames that were received and are not handled yet. */
  get waiting(): number {
    return this.#waiting;
  }

  keep(change: Partial<ClientState>): void {
    this.#state = { ...this.#state, ...change };
    // A closed socket stores nothing.
    if (this.isOpen) this.socket.serializeAttachment(this.#state);
  }

  heard(): void {
    this.#unheard.heard();
  }

  /** Sends all stored frames that the client does not have. */
  catchUp(frames: FrameStore): void {
    while (this.isOpen) {
      const page = frames.pageAfter(this.#state.sent, this.#state.projectId);
      if (page.length === 0) return;
      for (const { id, body } of page) {
        this.sendText(`{"id":${id},${body.slice(1)}`);
        if (!this.isOpen) return;
        this.keep({ sent: id });
      }
    }
  }

  send(frame: CommandLineServerFrame): void {
    this.sendText(JSON.stringify(frame));
  }

  /** Does nothing on a closed socket, and closes the socket of a client that stopped reading. */
  sendText(text: string): void {
    if (!this.isOpen) return;
    if (this.#unheard.characters > MAX_UNHEARD) return this.close(TRY_LATER);
    this.#unheard.sent(text.length);
    this.socket.send(text);
  }

  /** Handles a frame after the earlier ones. `handle` must not throw. */
  inTurn(handle: () => Promise<void>): Promise<void> {
    this.#waiting += 1;
    this.#receiving = this.#receiving.then(handle).finally(() => (this.#waiting -= 1));
    return this.#receiving;
  }

  /** Reports an error, with the client's id of the frame that it is about. */
  tell(error: unknown, clientId?: string): void {
    const known = error instanceof AppError ? error : undefined;
    this.send({
      type: "error",
      message: sentenceOf(error),
      ...(known && { code: known.code }),
      ...(known?.retryAfterSeconds !== undefined && { retry_after_seconds: known.retryAfterSeconds }),
      ...(clientId !== undefined && { client_id: clientId }),
    });
  }

  close({ code, reason }: Closing): void {
    if (this.isOpen) this.socket.close(code, reason);
  }

  /** Reports an error and closes the socket. */
  fail(error: unknown): void {
    this.tell(error);
    this.close(closingAfter(error));
  }
}
