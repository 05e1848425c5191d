import type { Clock } from "#sdk/clock.ts";
import { addressOf } from "#sdk/http/url.ts";
import type { Socket, SocketQuery, SocketSource } from "#sdk/live/connection.ts";

type Listener = Parameters<Socket["addEventListener"]>[1];

/** A socket whose other side is the test. */
export class ScriptedSocket implements Socket {
  readyState = 0;
  readonly bufferedAmount = 0;
  /** Frames that the client sent, pings left out. */
  readonly sent: Record<string, unknown>[] = [];
  pings = 0;
  readonly #listeners: { type: string; listener: Listener }[] = [];

  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly isRenewed: boolean;

  constructor(path: string, query: SocketQuery, isRenewed: boolean) {
    this.path = path;
    this.query = Object.fromEntries(new URL(addressOf("ws://service.test", path, {}, query)).searchParams);
    this.isRenewed = isRenewed;
  }

  addEventListener(type: "open" | "message" | "close" | "error", listener: Listener): void {
    this.#listeners.push({ type, listener });
  }

  send(text: string): void {
    const frame = JSON.parse(text);
    if (frame.type === "ping") this.pings += 1;
    else this.sent.push(frame);
  }

  close(): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.#tell("close", { code: 1005, reason: "" });
  }

  // ── The service's side

  open(): void {
    this.readyState = 1;
    this.#tell("open", {});
  }

  say(...frames: object[]): void {
    for (const frame of frames) this.#tell("message", { data: JSON.stringify(frame) });
  }

  end(code = 1006, reason = ""): void {
    this.readyState = 3;
    this.#tell("close", { code, reason });
  }

  #tell(type: string, event: Parameters<Listener>[0]): void {
    for (const each of this.#listeners) if (each.type === type) each.listener(event);
  }
}

/** A source of such sockets. */
export class ScriptedSource implements SocketSource {
  readonly sockets: ScriptedSocket[] = [];
  /** What the next attempts are rejected with. */
  readonly failures: Error[] = [];

  async open(path: string, query: SocketQuery, { renew = false } = {}): Promise<Socket> {
    const failure = this.failures.shift();
    if (failure) throw failure;
    const socket = new ScriptedSocket(path, query, renew);
    this.sockets.push(socket);
    return socket;
  }

  /** The newest socket, opened, after all that is under way. */
  async opened(): Promise<ScriptedSocket> {
    await settled();
    const socket = this.sockets.at(-1);
    if (!socket || socket.readyState !== 0) throw new Error("No socket was asked for");
    socket.open();
    return socket;
  }
}

/** A clock that the test moves. */
export class ManualClock implements Clock {
  #now = 0;
  #sleepers: { until: number; wake: () => void }[] = [];
  now = () => this.#now;
  random = () => 0.5;
  sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      this.#sleepers.push({ until: this.#now + ms, wake: resolve });
      signal?.addEventListener("abort", () => reject(signal.reason));
    });

  /** Lets time pass, one sleeper after the other. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settled();
      const [next] = this.#sleepers.toSorted((a, b) => a.until - b.until);
      if (!next || next.until > end) break;
      this.#sleepers = this.#sleepers.filter((each) => each !== next);
      this.#now = next.until;
      next.wake();
    }
    this.#now = end;
    await settled();
  }
}

/** Resolves when all that is under way without time and network is done. */
export async function settled(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** The next items of an iteration, which goes on afterwards. */
export async function take<T>(items: AsyncGenerator<T, void, void>, count: number): Promise<T[]> {
  const taken: T[] = [];
  while (taken.length < count) {
    const { done, value } = await items.next();
    if (done) throw new Error(`It ended after ${taken.length}`);
    taken.push(value);
  }
  return taken;
}
