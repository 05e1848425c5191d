import { setTimeout as pause } from "node:timers/promises";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { ServiceFrame } from "./frames.ts";
import { refusalOf } from "./refusal.ts";

/** The service does not let this client in. The message is a sentence for the person. */
export class Refused extends Error {}

interface Options {
  /** The address of the service, such as `http://127.0.0.1:8787`. */
  service: URL;
  key: string;
  project: string | undefined;
  /** A connection is there; what the service has not accepted must be sent again. */
  opened(): void;
  received(frame: ServiceFrame): void;
  /** The connection was lost, and is tried again. */
  lost(reason: string): void;
}

/** The end of a connection, or of an attempt to connect. */
interface Ending {
  /** The service will refuse the same key again. */
  isFinal: boolean;
  reason: string;
}

const PING_MS = 20_000;
/** A service that says nothing for this long, not even to pings, is gone. */
const SILENCE_MS = 50_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** Codes of a close after which the same key is refused again. */
const FINAL_CODES: ReadonlySet<number> = new Set([1008, 4401, 4403, 4404]);
/** Too many requests, too many clients, and failures of the service. */
const isPassing = (status: number) => status === 429 || status === 409 || status >= 500;

/** A socket to the service that is opened again when it is lost, and resumes after the last frame. */
export class Connection {
  readonly #options: Options;
  readonly #left = new AbortController();
  #socket: WebSocket | undefined;
  #lastId: number | undefined;
  #wasOpen = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Stays connected until `leave`. Throws `Refused` when the service does not let the client in, and when the first
   * connection fails.
   */
  async run(): Promise<void> {
    let wait = FIRST_PAUSE_MS;
    while (!this.#left.signal.aborted) {
      const attempt = new Attempt(this.#address(), this.#options.key, (frame) => this.#take(frame));
      this.#socket = attempt.socket;
      if (await attempt.opened) {
        this.#wasOpen = true;
        wait = FIRST_PAUSE_MS;
        this.#options.opened();
      }
      const { isFinal, reason } = await attempt.ended;
      if (this.#left.signal.aborted) return;
      if (isFinal || !this.#wasOpen) throw new Refused(reason);
      this.#options.lost(reason);
      // Clients that were cut off together do not come back together.
      await pause(wait * (0.5 + Math.random()), undefined, { signal: this.#left.signal }).catch(() => {});
      wait = Math.min(LONGEST_PAUSE_MS, wait * 2);
    }
  }

  /** Sends a frame; does nothing without a connection. */
  send(frame: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  leave(): void {
    this.#left.abort();
    this.#socket?.close();
  }

  #take(frame: ServiceFrame): void {
    if (frame.type === "status") this.#lastId = Math.max(this.#lastId ?? 0, frame.last_id);
    if ("id" in frame && frame.id !== undefined) this.#lastId = frame.id;
    this.#options.received(frame);
  }

  #address(): URL {
    const address = new URL("/api/gateway/cli", this.#options.service);
    const { project } = this.#options;
    if (project !== undefined) address.searchParams.set("project_id", project);
    if (this.#lastId !== undefined) address.searchParams.set("last_id", String(this.#lastId));
    return address;
  }
}

/** One attempt to connect, and its connection. */
class Attempt {
  readonly socket: WebSocket;
  /** False for an attempt that fails. */
  readonly opened: Promise<boolean>;
  readonly ended: Promise<Ending>;
  #heard = Date.now();
  #isOpen = false;
  #lastError = "";

  constructor(address: URL, key: string, take: (frame: ServiceFrame) => void) {
    const headers = { authorization: `Bearer ${key}` };
    // The key is in a header, which Node's client takes as an option of its own.
    this.socket = new WebSocket(address.href.replace(/^http/u, "ws"), Object({ headers }));
    const [opened, closed] = [Promise.withResolvers<boolean>(), Promise.withResolvers<Ending>()];
    const timer = setInterval(() => {
      if (Date.now() - this.#heard > SILENCE_MS) closed.resolve({ isFinal: false, reason: "no answer" });
      else if (this.#isOpen) this.socket.send('{"type":"ping"}');
    }, PING_MS);
    this.socket.addEventListener("open", () => {
      this.#isOpen = true;
      opened.resolve(true);
    });
    this.socket.addEventListener("message", ({ data }) => {
      this.#heard = Date.now();
      const frame = safeParseJson(String(data), ServiceFrame)?.value;
      if (frame?.type === "error") this.#lastError = frame.message;
      if (frame) take(frame);
    });
    this.socket.addEventListener("close", ({ code, reason }) =>
      closed.resolve({
        isFinal: FINAL_CODES.has(code),
        reason: (FINAL_CODES.has(code) && this.#lastError) || reason || "the connection was lost",
      }),
    );
    this.socket.addEventListener("error", () =>
      closed.resolve({ isFinal: false, reason: "the connection was lost" }),
    );
    this.opened = opened.promise;
    this.ended = closed.promise.then((ending) => {
      clearInterval(timer);
      opened.resolve(false);
      this.socket.close();
      return this.#isOpen ? ending : refusalAt(address, headers);
    });
  }
}

/** Why no socket was opened. */
async function refusalAt(address: URL, headers: Record<string, string>): Promise<Ending> {
  try {
    const refusal = await refusalOf(address, headers);
    if (!refusal) return { isFinal: false, reason: "the connection was lost" };
    return { isFinal: !isPassing(refusal.status), reason: refusal.detail };
  } catch (error) {
    const why = error instanceof Error ? error.message || error.name : String(error);
    return { isFinal: false, reason: `${address.origin} cannot be reached: ${why}` };
  }
}
