import type { FrameSocket } from "#src/channels/connection.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import { AppError } from "#src/lib/errors.ts";
import { timeLimit } from "#src/lib/time-limit.ts";
import { USER_AGENT } from "#src/lib/user-agent.ts";

/** How long a platform may take to accept a socket. */
const OPENING_MS = 15_000;

/** RFC 6455: the socket broke. */
const BROKEN = 1006;
const ENDED = 1000;

/** Frames that wait to be taken. A platform that sends more than the service stores is disconnected. */
const MAX_WAITING_FRAMES = 10_000;

type Upgrade = (
  url: string,
  init: { headers: Readonly<Record<string, string>>; signal: AbortSignal },
) => Promise<Response>;

/**
 * Opens a socket; `wss:` and `ws:` are requested as `https:` and `http:`. It is closed when `signal` is aborted. Throws
 * `PlatformFailure`, without the address, which may hold a ticket.
 */
export async function openSocket(url: string, upgrade: Upgrade, signal: AbortSignal): Promise<FrameSocket> {
  using opening = timeLimit(OPENING_MS, signal);
  try {
    const response = await upgrade(url.replace(/^ws/u, "http"), {
      headers: { upgrade: "websocket", "user-agent": USER_AGENT },
      signal: opening.signal,
    });
    const { webSocket } = response;
    if (webSocket) return new Frames(webSocket, signal);
    await response.body?.cancel();
    throw new PlatformFailure("unreachable", `The platform refused a socket with status ${response.status}.`);
  } catch (error) {
    if (error instanceof PlatformFailure) throw error;
    if (error instanceof AppError && !error.retryable) {
      throw new PlatformFailure("refused", `The socket's address cannot be called: ${error.message}.`);
    }
    throw new PlatformFailure("unreachable", "The platform's socket could not be opened.");
  }
}

class Frames implements FrameSocket {
  readonly #socket: WebSocket;
  #waiting: string[] = [];
  #wake: (() => void) | undefined;
  #closed: { code: number; reason: string } | undefined;
  readonly #signal: AbortSignal;
  readonly #abort = () => this.close(ENDED);

  constructor(socket: WebSocket, signal: AbortSignal) {
    this.#socket = socket;
    this.#signal = signal;
    socket.addEventListener("message", ({ data }) => this.#arrived(data));
    socket.addEventListener("close", ({ code, reason }) => {
      this.#end({ code, reason });
      // The platform's close is completed by ours.
      this.close(ENDED);
    });
    socket.addEventListener("error", () => this.#end({ code: BROKEN, reason: "" }));
    signal.addEventListener("abort", this.#abort, { once: true });
    socket.accept();
    if (signal.aborted) this.close(ENDED);
  }

  async take(): Promise<readonly string[] | undefined> {
    while (this.#waiting.length === 0 && !this.#closed) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    const taken = this.#waiting;
    this.#waiting = [];
    return taken.length > 0 ? taken : undefined;
  }

  get closed(): { code: number; reason: string } | undefined {
    return this.#closed;
  }

  send(frame: string): void {
    if (this.#closed) return;
    try {
      this.#socket.send(frame);
    } catch {
      this.#end({ code: BROKEN, reason: "" });
    }
  }

  close(code: number): void {
    try {
      this.#socket.close(code);
    } catch {
      // It was closed before.
    }
    // Slack leaves connections open that it was asked to close.
    this.#end({ code, reason: "" });
  }

  #arrived(data: string | ArrayBuffer): void {
    if (typeof data !== "string" || this.#closed) return;
    if (this.#waiting.length >= MAX_WAITING_FRAMES) {
      this.close(4000);
      return;
    }
    this.#waiting.push(data);
    this.#wake?.();
  }

  #end(closed: { code: number; reason: string }): void {
    this.#closed ??= closed;
    this.#signal.removeEventListener("abort", this.#abort);
    this.#wake?.();
  }
}
