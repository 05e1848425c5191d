import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { ReceivedEvent } from "../channel.ts";
import type { Account, Connect, FrameSocket, Keeper } from "../connection.ts";
import { PlatformFailure } from "../platform-failure.ts";
import { socketAddress } from "../socket-address.ts";
import { replyToInteraction } from "./api.ts";
import { createDiscordCalls } from "./call.ts";
import { afterClose, GatewaySession, Resumable } from "./gateway-session.ts";
import { parseGatewayMessage, parseInteraction } from "./parse.ts";

const Credentials = z.object({ bot_token: z.string() });
const GatewayBot = z.looseObject({
  url: z.string(),
  session_start_limit: z.looseObject({ remaining: z.int(), reset_after: z.number() }),
});
const Interaction = z.looseObject({ id: z.string(), token: z.string() });

/**
 * Sessions that are left for the day at which no more is begun: Discord resets the token of a bot that begins too many,
 * and other programs may begin some too.
 */
const RESERVE = 10;
/** Any code but 1000 and 1001, which would end the session. */
const KEEPS_SESSION = 4000;
/** Looks, about a minute each, that Discord may take until events arrive. */
const UNREADY_LOOKS = 2;

/**
 * The gateway. Its session outlives the socket and a crash of the service: it goes on where the stored events end, and
 * costs none of the sessions that a bot may begin in a day. Interactions are answered at once over HTTP, because Discord
 * waits 3 s.
 */
export const connectDiscord: Connect = async (account, keeper) => {
  const { bot_token: token } = Credentials.parse(account.credentials);
  const resumable = safeParseJson(keeper.memory.read() ?? "", Resumable)?.value;
  const open = (address: string) => {
    const url = socketAddress(address, account.environment.baseUrls.discord);
    url.searchParams.set("v", "10");
    url.searchParams.set("encoding", "json");
    return keeper.openSocket(url.href);
  };
  // Where the session was may be gone; it goes on at the first address too.
  const socket =
    (resumable && (await open(resumable.resumeUrl).catch(() => undefined))) ??
    (await open(await gatewayUrl(token, account)));
  const session = new GatewaySession(token, resumable);
  await new GatewayConnection({ account, keeper, session, socket }).run();
};

async function gatewayUrl(token: string, { environment }: Account): Promise<string> {
  const calls = createDiscordCalls(token, environment);
  const { url, session_start_limit: limit } = await calls.read(
    { method: "GET", path: "/gateway/bot" },
    GatewayBot,
  );
  if (limit.remaining > RESERVE) return url;
  throw new PlatformFailure("busy", "The bot has begun nearly all sessions that Discord allows in a day.", {
    retryAfterSeconds: Math.ceil(limit.reset_after / 1000),
  });
}

class GatewayConnection {
  readonly #account: Account;
  readonly #keeper: Keeper;
  readonly #session: GatewaySession;
  readonly #socket: FrameSocket;
  readonly #over = new AbortController();
  #isReady = false;
  #isResumable = true;
  #unreadyLooks = 0;

  constructor(parts: { account: Account; keeper: Keeper; session: GatewaySession; socket: FrameSocket }) {
    this.#account = parts.account;
    this.#keeper = parts.keeper;
    this.#session = parts.session;
    this.#socket = parts.socket;
  }

  async run(): Promise<void> {
    this.#keeper.watch(() => this.#look());
    try {
      for (let frames = await this.#socket.take(); frames; frames = await this.#socket.take()) {
        await this.#handle(frames);
      }
    } finally {
      this.#over.abort();
    }
    const { failure, isResumable } = afterClose(this.#socket.closed?.code ?? KEEPS_SESSION);
    if (!isResumable || !this.#isResumable || failure) this.#remember(undefined);
    if (failure) throw failure;
    const isOver = !this.#isResumable;
    if (!this.#isReady || isOver) {
      throw new PlatformFailure("unreachable", "Discord ended the session.", {
        // As Discord asks for before a new session.
        ...(isOver && { retryAfterSeconds: 1 + 4 * Math.random() }),
      });
    }
  }

  /** Frames that arrived together are stored together; then the session is remembered behind them. */
  async #handle(frames: readonly string[]): Promise<void> {
    const events: ReceivedEvent[] = [];
    let isReady = false;
    for (const frame of frames) {
      const step = this.#session.take(frame);
      switch (step.kind) {
        case "greeted": {
          this.#socket.send(step.frame);
          void this.#heartbeats(step.heartbeatMs);
          break;
        }
        case "send": {
          this.#socket.send(step.frame);
          break;
        }
        case "ready": {
          isReady = true;
          break;
        }
        case "event": {
          events.push(...this.#eventsOf(step.type, step.data));
          break;
        }
        case "reconnect": {
          this.#isResumable = step.isResumable;
          this.#socket.close(KEEPS_SESSION);
          break;
        }
        case "nothing": {
          break;
        }
        default: {
          step satisfies never;
        }
      }
    }
    if (events.length > 0) await this.#keeper.receive(events);
    if (events.length > 0 || isReady) this.#remember(this.#session.resumable);
    if (isReady) {
      this.#isReady = true;
      this.#keeper.connected();
    }
  }

  #eventsOf(type: string, data: unknown): ReceivedEvent[] {
    if (type === "MESSAGE_CREATE") {
      const message = parseGatewayMessage(data, this.#account.self);
      return message ? [message] : [];
    }
    return type === "INTERACTION_CREATE" ? this.#interacted(data) : [];
  }

  #interacted(data: unknown): ReceivedEvent[] {
    const interaction = Interaction.safeParse(data);
    if (!interaction.success) return [];
    try {
      const { reply, events } = parseInteraction(data, this.#account.self);
      if ("json" in reply) void this.#reply(interaction.data, reply.json);
      return [...events];
    } catch (error) {
      if (error instanceof AppError && (error.code === "invalid_input" || error.code === "unauthenticated"))
        return [];
      throw error;
    }
  }

  /** Without a reply Discord tells the person that the bot did not react; the event is handled all the same. */
  async #reply(interaction: z.infer<typeof Interaction>, reply: unknown): Promise<void> {
    await replyToInteraction(this.#account.environment, interaction, reply).catch(() => undefined);
  }

  async #heartbeats(intervalMs: number): Promise<void> {
    const { signal } = this.#over;
    // Spread, as Discord asks for, because all clients of a server that restarts connect at the same time.
    await this.#keeper.sleep(intervalMs * Math.random(), signal);
    while (!signal.aborted && !this.#keeper.signal.aborted) {
      const frame = this.#session.beat();
      if (frame === undefined) {
        this.#socket.close(KEEPS_SESSION);
        return;
      }
      this.#socket.send(frame);
      await this.#keeper.sleep(intervalMs, signal);
    }
  }

  #look(): void {
    if (this.#isReady) return;
    this.#unreadyLooks += 1;
    if (this.#unreadyLooks >= UNREADY_LOOKS) this.#socket.close(KEEPS_SESSION);
  }

  #remember(resumable: Resumable | undefined): void {
    if (this.#keeper.signal.aborted) return;
    this.#keeper.memory.write(JSON.stringify(resumable ?? {}));
  }
}
