import type { ApiEnvironment, ReceivedEvent } from "#src/channels/channel.ts";
import type { FrameSocket, Keeper } from "#src/channels/connection.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";

/** A socket of which a test is the platform. */
export class ScriptedSocket implements FrameSocket {
  readonly url: string;
  /** What the connection sent, in order. */
  readonly sent: unknown[] = [];
  closed: { code: number; reason: string } | undefined;
  #waiting: string[] = [];
  #wake: (() => void) | undefined;

  constructor(url: string) {
    this.url = url;
  }

  async take(): Promise<readonly string[] | undefined> {
    while (this.#waiting.length === 0 && !this.closed) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    const taken = this.#waiting;
    this.#waiting = [];
    return taken.length > 0 ? taken : undefined;
  }

  send(frame: string): void {
    if (!this.closed) this.sent.push(JSON.parse(frame));
  }

  close(code: number): void {
    this.closed ??= { code, reason: "" };
    this.#wake?.();
  }

  /** Frames that arrive together. */
  say(...frames: unknown[]): void {
    this.#waiting.push(...frames.map((frame) => (typeof frame === "string" ? frame : JSON.stringify(frame))));
    this.#wake?.();
  }
}

/** A keeper without an object: sockets are scripted, and time passes when the test says so. */
export class ScriptedKeeper implements Keeper {
  readonly #abort = new AbortController();
  readonly #looks: ((now: number) => void)[] = [];
  readonly #sleepers: { resolve: () => void; milliseconds: number }[] = [];
  readonly sockets: ScriptedSocket[] = [];
  readonly received: ReceivedEvent[] = [];
  /** What the memory was set to, in order. */
  readonly remembered: string[] = [];
  isConnected = false;
  /** What happens instead of storing. */
  refusal: Error | undefined;
  /** Makes the next sockets impossible to open. */
  refusesSockets = false;

  constructor(memory?: object) {
    if (memory) this.remembered.push(JSON.stringify(memory));
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get memory(): Keeper["memory"] {
    return {
      read: () => this.remembered.at(-1),
      write: (text) => void this.remembered.push(text),
    };
  }

  /** What is remembered. */
  get mind(): unknown {
    return JSON.parse(this.remembered.at(-1) ?? "null");
  }

  async receive(events: readonly ReceivedEvent[]): Promise<void> {
    if (this.refusal) throw this.refusal;
    this.received.push(...events);
  }

  connected(): void {
    this.isConnected = true;
  }

  async openSocket(url: string): Promise<FrameSocket> {
    if (this.refusesSockets) throw new PlatformFailure("unreachable", "No socket.");
    const socket = new ScriptedSocket(url);
    this.sockets.push(socket);
    this.signal.addEventListener("abort", () => socket.close(1000));
    return socket;
  }

  openGuardedSocket(url: string): Promise<FrameSocket> {
    return this.openSocket(url);
  }

  watch(look: (now: number) => void): void {
    this.#looks.push(look);
  }

  sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve());
      this.#sleepers.push({ resolve, milliseconds });
    });
  }

  /** The last of `sockets`. */
  get socket(): ScriptedSocket {
    const last = this.sockets.at(-1);
    if (!last) throw new Error("No socket was opened");
    return last;
  }

  /** How long the connection sleeps, for each sleep that has not ended. */
  get sleeps(): number[] {
    return this.#sleepers.map(({ milliseconds }) => milliseconds);
  }

  /** The time of all sleeps passes. */
  wake(): void {
    for (const { resolve } of this.#sleepers.splice(0)) resolve();
  }

  /** So many minutes pass. */
  look(times: number): void {
    for (let time = 0; time < times; time += 1) for (const look of this.#looks) look(0);
  }

  end(): void {
    this.#abort.abort();
  }
}

/** An environment in which `answer` is all of the network. */
export function scriptedEnvironment(
  answer: (url: string, init: RequestInit) => Response | Promise<Response>,
): ApiEnvironment {
  const fetch = async (input: unknown, init: RequestInit = {}) => answer(String(input), init);
  return {
    baseUrls: {
      telegram: "https://telegram.test",
      slack: "https://slack.test/api",
      discord: "https://discord.test/api/v10",
      whatsapp: "https://whatsapp.test",
    },
    fetch,
    guardedFetch: fetch,
    terminals: { push: async () => 0 },
  };
}
