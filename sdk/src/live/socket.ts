import { backoff } from "../backoff.ts";
import { onAbort, type Clock } from "../clock.ts";
import { ConnectionError, RateLimitError, ServerError, TimeoutError, WorkspaceError } from "../errors.ts";
import { fieldsOf, isObject, parseJson, wholeOf } from "../json.ts";
import type { Frame, Socket, SocketQuery, SocketSource } from "./connection.ts";
import { refusal, refusalOf } from "./refusal.ts";

/** A connection that says nothing for so long, not even to a ping, is dead. */
const SILENCE_MS = 45_000;
const PING_MS = 15_000;
const OPEN = 1;
/** Codes of the service (4000 and above) and of RFC 6455, section 7.4.1. */
const ENDED = 1000;
const POLICY = 1008;
const UNAUTHENTICATED = 4401;
const FORBIDDEN = 4403;
const NOT_FOUND = 4404;
/** Errors that a repetition may change. */
const PASSING = [ConnectionError, TimeoutError, RateLimitError, ServerError];

export interface SocketOwner {
  /** Where to connect, asked before each attempt: it says from where to resume. */
  address(): { path: string; query: SocketQuery };
  /** The socket is open; frames can be sent. */
  opened(): void;
  /** A frame, with its length in characters. Pongs are not passed on. */
  received(frame: Frame, size: number): void;
  /** The connection is lost; the next one is under way. */
  lost(): void;
  /** The service has ended it: with an error, or normally with a reason. There is no other call after this one. */
  ended(error: WorkspaceError | undefined, reason: string): void;
}

interface Closed {
  code: number;
  reason: string;
  /** The error frame right before the close. */
  refusal: Frame | undefined;
  /** Whether the service has sent anything but an error. */
  isProgress: boolean;
}

/** A socket that reopens by itself, until it is closed or the service refuses it for good. */
export class ReopeningSocket {
  readonly #source: SocketSource;
  readonly #clock: Clock;
  readonly #owner: SocketOwner;
  readonly #closing = new AbortController();
  #current: Socket | undefined;
  /** Ends the current connection from this side. */
  #leave: (() => void) | undefined;
  #isWanted = true;
  #wanted: (() => void) | undefined;
  /** The next attempt follows at once: the last connection was left on purpose. */
  #isPrompt = false;

  constructor(source: SocketSource, clock: Clock, owner: SocketOwner) {
    this.#source = source;
    this.#clock = clock;
    this.#owner = owner;
    void this.#run();
  }

  get isOpen(): boolean {
    return this.#current?.readyState === OPEN;
  }

  /** Sends a frame. Returns false if there is no connection. */
  send(frame: object): boolean {
    if (!this.#current || this.#current.readyState !== OPEN) return false;
    this.#current.send(JSON.stringify(frame));
    return true;
  }

  /** Whether there should be a connection. While there should not, none is made. */
  want(isWanted: boolean): void {
    if (this.#isWanted === isWanted) return;
    this.#isWanted = isWanted;
    if (isWanted) this.#wanted?.();
    else this.#leaveNow();
  }

  /** Connects anew at once, from the owner's present address. */
  restart(): void {
    if (this.#leave) this.#leaveNow();
  }

  /** Ends it. Idempotent. */
  close(): void {
    this.#closing.abort();
    this.#wanted?.();
    this.#leaveNow();
  }

  #leaveNow(): void {
    this.#isPrompt = true;
    this.#current = undefined;
    this.#leave?.();
  }

  async #run(): Promise<void> {
    let [failures, renew] = [0, false];
    while (!this.#closing.signal.aborted) {
      if (!this.#isWanted) {
        await new Promise<void>((resolve) => (this.#wanted = resolve));
        this.#wanted = undefined;
        continue;
      }
      this.#isPrompt = false;
      const closed = await this.#connect(renew).catch((error: unknown) => failureOf(error));
      if (this.#closing.signal.aborted) return;
      if (closed instanceof WorkspaceError) return this.#owner.ended(closed, closed.message);
      if (closed.isProgress) [failures, renew] = [0, false];
      if (this.#isPrompt) {
        this.#owner.lost();
        continue;
      }
      // Credentials may have expired meanwhile: they are renewed once.
      const isRenewable = closed.code === UNAUTHENTICATED && !renew;
      if (!isRenewable && isFinal(closed)) return this.#owner.ended(errorOf(closed), closed.reason);
      renew = isRenewable;
      this.#owner.lost();
      if (isRenewable) continue;
      failures += 1;
      await this.#sleep(this.#pause(failures, closed), this.#closing.signal);
    }
  }

  /** What the service asks for, or a random time. */
  #pause(failures: number, closed: Closed): number {
    const asked = wholeOf(fieldsOf(closed.refusal?.["data"])["retry_after_seconds"]) * 1000;
    return Math.max(asked, backoff(failures, this.#clock.random));
  }

  /** Ends early, without an error, when `signal` is aborted. */
  #sleep(ms: number, signal: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal).catch(() => undefined);
  }

  /** Makes one connection. Resolves when it is over, with or without an error. */
  async #connect(renew: boolean): Promise<Closed> {
    const { path, query } = this.#owner.address();
    const left = new AbortController();
    const isLeft = new Promise<Closed>((resolve) => {
      const end = () => {
        left.abort();
        resolve({ code: 1005, reason: "", refusal: undefined, isProgress: false });
      };
      this.#leave = end;
    });
    try {
      const opening = this.#source.open(path, query, { renew });
      // A socket that opens after it was left is closed.
      opening.then(
        (socket) => left.signal.aborted && socket.close(),
        () => undefined,
      );
      const socket = await Promise.race([opening, isLeft]);
      if (!("send" in socket)) return socket;
      return await Promise.race([this.#serve(socket, left.signal), isLeft]);
    } finally {
      this.#leave = undefined;
      this.#current = undefined;
      left.abort();
    }
  }

  /** Passes frames on until the socket is closed, silent for too long, or left. */
  #serve(socket: Socket, left: AbortSignal): Promise<Closed> {
    if (!left.aborted) this.#current = socket;
    return new Promise((resolve) => {
      let [heardAt, isProgress] = [this.#clock.now(), false];
      let last: Frame | undefined;
      const over = (code: number, reason: string) => {
        resolve({ code, reason, refusal: last, isProgress });
        if (socket.readyState <= OPEN) socket.close();
      };
      onAbort(left, () => over(1005, ""));
      const opened = () => {
        heardAt = this.#clock.now();
        // The answer shows that the connection works; otherwise a quiet service would look like a refusal.
        this.send(PING);
        if (!left.aborted) this.#owner.opened();
      };
      socket.addEventListener("open", () => !left.aborted && opened());
      socket.addEventListener("message", ({ data }) => {
        if (left.aborted) return;
        heardAt = this.#clock.now();
        const frame = parseFrame(data);
        if (!frame) return;
        last = frame.type === "error" ? frame : undefined;
        if (!last) isProgress = true;
        if (frame.type !== "pong") this.#owner.received(frame, String(data).length);
      });
      // An error is always followed by a close, except where the runtime leaves it out.
      socket.addEventListener("error", () => over(1006, ""));
      socket.addEventListener("close", ({ code, reason }) => over(code ?? 1006, reason ?? ""));
      if (socket.readyState === OPEN) opened();
      const watch = async () => {
        while (!left.aborted) {
          await this.#sleep(PING_MS, left);
          if (left.aborted) return;
          if (this.#clock.now() - heardAt >= SILENCE_MS) return over(1006, "");
          this.send(PING);
        }
      };
      void watch();
    });
  }
}

const PING = { type: "ping" };

function parseFrame(data: unknown): Frame | undefined {
  const frame = typeof data === "string" && parseJson(data);
  return isFrame(frame) ? frame : undefined;
}

function isFrame(value: unknown): value is Frame {
  return isObject(value) && typeof value["type"] === "string";
}

/** How a failed attempt ends: some failures are final. */
function failureOf(error: unknown): Closed | WorkspaceError {
  const isFinalError =
    error instanceof WorkspaceError && !PASSING.some((Passing) => error instanceof Passing);
  return isFinalError ? error : { code: 1006, reason: "", refusal: undefined, isProgress: false };
}

function isFinal({ code, refusal: frame, reason }: Closed): boolean {
  if ([POLICY, UNAUTHENTICATED, FORBIDDEN, NOT_FOUND].includes(code)) return true;
  // A client's mistake is an error and a normal close; a normal close with other words is the end of a terminal. Without
  // either, a server or proxy goes away.
  return code === ENDED && (frame !== undefined || !NAMELESS.has(reason));
}

/** Reasons of a normal close that say nothing about the end of a terminal. */
const NAMELESS: ReadonlySet<string> = new Set(["", "ended"]);
/** Reasons of a close after an error. */
const AFTER_ERROR: ReadonlySet<string> = new Set(["", "ended", "resumed elsewhere"]);

/** The error that a close stands for; undefined for a normal end. */
function errorOf({ code, reason, refusal: frame }: Closed): WorkspaceError | undefined {
  if (code === ENDED && !(frame && AFTER_ERROR.has(reason))) return undefined;
  const [named, detail] = NAMED[code] ?? [reason || "closed", "The service ended the connection"];
  return frame ? refusalOf(frame, named) : refusal(named, detail);
}

/** What the service's own codes stand for. */
const NAMED: Readonly<Record<number, readonly [code: string, detail: string]>> = {
  [UNAUTHENTICATED]: ["unauthenticated", "Not authenticated"],
  [FORBIDDEN]: ["forbidden", "Not permitted"],
  [NOT_FOUND]: ["not_found", "Not found"],
};
