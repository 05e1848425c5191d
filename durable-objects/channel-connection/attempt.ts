import type { ReceivedEvent, Self } from "#src/channels/channel.ts";
import type { Account, Connect, Keeper } from "#src/channels/connection.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import {
  type Channel,
  disowned,
  openCredentials,
  otherBot,
  provedBot,
  selfOf,
  storeBot,
} from "#src/domain/messaging/channels/index.ts";
import { receiveEvents } from "#src/domain/messaging/inbox/index.ts";
import type { Services } from "#src/services.ts";
import { openSocket } from "./sockets.ts";

export interface AttemptOptions {
  services: Services;
  connect: Connect;
  generation: number;
  /** The row as it is now; `adopt` replaces it. */
  channel: Channel;
  memory: Keeper["memory"];
  /** Called once the platform has accepted the connection. */
  onConnected: () => void;
  /** Called with a sentence for the owner while more arrives than the channel may take, and with null afterwards. */
  onPace: (note: string | null) => void;
}

const TOO_FAST =
  "More messages arrive than the channel may take in a minute: they are read later, and the platform may drop some.";

/** One connection of a channel, from its first request until it ends. */
export class Attempt {
  readonly #options: AttemptOptions;
  readonly #abort = new AbortController();
  readonly #looks: ((now: number) => void)[] = [];
  #generation: number;
  #channel: Channel;
  #connectedAt: number | undefined;

  constructor(options: AttemptOptions) {
    this.#options = options;
    this.#generation = options.generation;
    this.#channel = options.channel;
  }

  get generation(): number {
    return this.#generation;
  }

  get channel(): Channel {
    return this.#channel;
  }

  /** Since when the platform accepts the connection, in milliseconds since the epoch. */
  get connectedAt(): number | undefined {
    return this.#connectedAt;
  }

  /** Goes on for a new generation: the channel was changed, but not how it connects. */
  adopt(generation: number, channel: Channel): void {
    this.#generation = generation;
    this.#channel = channel;
  }

  /** Lets the connection look after itself; called about once a minute. */
  look(now: number): void {
    for (const look of this.#looks) look(now);
  }

  end(): void {
    this.#abort.abort();
  }

  /** Returns when the connection has ended. Throws `PlatformFailure`. */
  async run(): Promise<void> {
    try {
      const account = await this.#account();
      await this.#options.connect(account, this.#keeper());
    } catch (error) {
      if (error instanceof PlatformFailure) throw error;
      if (!this.#abort.signal.aborted) {
        const { log } = this.#options.services;
        log.error("a channel's connection failed", { channel_id: this.#channel.id, cause: error });
      }
      throw new PlatformFailure("unreachable", "The service could not take what the platform sent.");
    } finally {
      this.#abort.abort();
    }
  }

  async #account(): Promise<Account> {
    const { services } = this.#options;
    const adapter = services.channels[this.#channel.channelType];
    const opened = await openCredentials(services, this.#channel).catch(() => undefined);
    const credentials = adapter.credentials.safeParse(opened);
    if (!credentials.success) {
      const sentence = opened ? "are incomplete" : "cannot be decrypted";
      throw new PlatformFailure("unauthorized", `The credentials ${sentence}: enter them again.`);
    }
    await this.#identify(credentials.data);
    const current = () => selfOf(this.#channel);
    return {
      credentials: credentials.data,
      environment: services.apiEnvironment,
      get self() {
        return current();
      },
    };
  }

  /**
   * Asks the platform who the bot is: it may have another name than at the last connection. A platform that does not tell this
   * is believed what it told before.
   */
  async #identify(credentials: Account["credentials"]): Promise<void> {
    const { services } = this.#options;
    const { channelType, provedAt } = this.#channel;
    let self: Self;
    try {
      self = await services.channels[channelType].api(credentials, services.apiEnvironment).identify();
    } catch (error) {
      const isBelieved = error instanceof PlatformFailure && error.kind !== "unauthorized";
      if (provedAt !== null && isBelieved) return;
      throw error;
    }
    const other = otherBot(this.#channel, self);
    const { lastError: _, ...bot } = provedBot(self);
    const stored = await storeBot(services.db, this.#channel, other === undefined ? bot : disowned(other));
    if (other !== undefined) throw new PlatformFailure("refused", other);
    // The row has other credentials already when nothing was stored; the shard will say so.
    this.#channel = stored ?? { ...this.#channel, ...bot };
  }

  /** Takes all events, as fast as the limits allow. Until then the connection reads and confirms no more. */
  async #receive(events: readonly ReceivedEvent[]): Promise<void> {
    const { services, onPace } = this.#options;
    const { signal } = this.#abort;
    let rest = await receiveEvents(services, this.#channel, events);
    while (rest) {
      if (rest.retryAfterSeconds > 0) onPace(TOO_FAST);
      await sleep(rest.retryAfterSeconds * 1000, signal);
      signal.throwIfAborted();
      rest = await receiveEvents(services, this.#channel, rest.events);
    }
    onPace(null);
  }

  #keeper(): Keeper {
    const { services, memory, onConnected } = this.#options;
    const { signal } = this.#abort;
    return {
      signal,
      receive: async (events) => {
        signal.throwIfAborted();
        if (events.length > 0) await this.#receive(events);
        // A superseded connection confirms nothing and remembers nothing.
        signal.throwIfAborted();
      },
      connected: () => {
        if (signal.aborted || this.#connectedAt !== undefined) return;
        this.#connectedAt = Date.now();
        onConnected();
      },
      memory: {
        read: () => memory.read(),
        write: (text) => {
          signal.throwIfAborted();
          memory.write(text);
        },
      },
      openSocket: (url) => openSocket(url, services.apiEnvironment.fetch, signal),
      openGuardedSocket: (url) => openSocket(url, services.guardedUpgrade, signal),
      watch: (look) => void this.#looks.push(look),
      sleep: (milliseconds, until) => sleep(milliseconds, AbortSignal.any([signal, until])),
    };
  }
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", done, { once: true });
    if (signal.aborted) done();
  });
}
