import type { ApiEnvironment, ReceivedEvent, Self } from "./channel.ts";

/** A socket at a platform. Frames that arrive are kept until they are taken. */
export interface FrameSocket {
  /**
   * Returns the text frames that arrived since the last call, and waits when there is none. Undefined once the socket is
   * closed and every frame was taken.
   */
  take(): Promise<readonly string[] | undefined>;
  /** Why the socket is closed; undefined while it is open. A socket that broke has code 1006. */
  readonly closed: { code: number; reason: string } | undefined;
  /** A frame for a socket that is closed is dropped. */
  send(frame: string): void;
  close(code: number): void;
}

/** What keeps a connection: the object of its channel, or a test. */
export interface Keeper {
  /** Aborted when the connection is to end: it is superseded, or no longer wanted. */
  readonly signal: AbortSignal;
  /**
   * Returns when the events are stored. What throws is not stored, and must not be confirmed at the platform. The
   * platform may send an event again.
   */
  receive(events: readonly ReceivedEvent[]): Promise<void>;
  /** The platform has accepted the connection: messages arrive from now on. */
  connected(): void;
  /** What the next connection of the same credentials resumes from, as JSON. Once written it survives a crash. */
  readonly memory: { read(): string | undefined; write(text: string): void };
  /** Opens a socket at an address that the platform gave. Throws `PlatformFailure`. */
  openSocket(url: string): Promise<FrameSocket>;
  /** As `openSocket`, for an address that a user gave: it cannot lead into a private network. */
  openGuardedSocket(url: string): Promise<FrameSocket>;
  /** Calls `look` about once a minute while the connection lasts, with the time in milliseconds since the epoch. */
  watch(look: (now: number) => void): void;
  /** Returns after the time, or at once when the signal is aborted. Only for what a socket's protocol asks for. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** What a connection acts for. */
export interface Account {
  /** As `ChannelAdapter.credentials` returns them. */
  credentials: Readonly<Record<string, unknown>>;
  /** To be read for each message: a bot may get another name while it is connected. */
  readonly self: Self;
  environment: ApiEnvironment;
}

/**
 * Connects to a platform, and receives until the connection ends: then it returns, and the keeper connects again. Throws
 * `PlatformFailure`. After `unauthorized` and `refused` it would fail again until the owner changes something; after
 * anything else the keeper waits and connects again.
 */
export type Connect = (account: Account, keeper: Keeper) => Promise<void>;
