import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { Account, Connect, FrameSocket, Keeper } from "../connection.ts";
import type { ReceivedEvent } from "../channel.ts";
import { PlatformFailure } from "../platform-failure.ts";
import { type Line, Relay } from "../relay.ts";
import { socketAddress } from "../socket-address.ts";
import { createSlackMethod, type SlackMethod } from "./call.ts";
import { parseEnvelope } from "./parse.ts";

const Credentials = z.object({ app_token: z.string().optional() });
const Opened = z.looseObject({ url: z.string() });
const Frame = z.looseObject({
  type: z.string(),
  envelope_id: z.string().optional(),
  reason: z.string().optional(),
});

/**
 * Looks, about a minute each, without a frame after which the socket is replaced. Slack's own pings are not seen here, and
 * its sockets can die without a word.
 */
const QUIET_LOOKS = 10;
/** The same before Slack has said hello. */
const UNGREETED_LOOKS = 2;

const ENDED = 1000;

/**
 * Socket Mode. An envelope is acknowledged after its events are stored, within the 3 s that Slack waits; what is not
 * acknowledged comes again. Slack announces that it will close a socket: the next one is then opened first.
 */
export const connectSlack: Connect = async (account, keeper) => {
  const { app_token: token } = Credentials.parse(account.credentials);
  if (token === undefined) {
    const sentence = "Socket Mode needs the app-level token, which begins with xapp-: enter it.";
    throw new PlatformFailure("refused", sentence);
  }
  const mode = new SocketMode(account, keeper, createSlackMethod(token, account.environment));
  await mode.run();
};

class SocketMode {
  readonly #account: Account;
  readonly #keeper: Keeper;
  readonly #call: SlackMethod;
  readonly #relay = new Relay(() => this.#open());
  #quietLooks = 0;
  #isGreeted = false;

  constructor(account: Account, keeper: Keeper, call: SlackMethod) {
    this.#account = account;
    this.#keeper = keeper;
    this.#call = call;
  }

  run(): Promise<void> {
    this.#keeper.watch(() => this.#look());
    return this.#relay.run();
  }

  #look(): void {
    this.#quietLooks += 1;
    if (this.#quietLooks < (this.#isGreeted ? QUIET_LOOKS : UNGREETED_LOOKS)) return;
    this.#quietLooks = 0;
    void this.#relay.renew();
  }

  async #open(): Promise<Line> {
    const { url } = await this.#call("apps.connections.open", {}, Opened).catch(asFailureOfAppToken);
    const address = socketAddress(url, this.#account.environment.baseUrls.slack);
    const socket = await this.#keeper.openSocket(address.href);
    const { promise: ready, resolve: greet } = Promise.withResolvers<void>();
    const ended = this.#serve(socket, () => {
      this.#isGreeted = true;
      this.#keeper.connected();
      greet();
    });
    return { ready, ended, close: () => socket.close(ENDED) };
  }

  async #serve(socket: FrameSocket, greet: () => void): Promise<void> {
    for (let frames = await socket.take(); frames; frames = await socket.take()) {
      this.#quietLooks = 0;
      const envelopes: string[] = [];
      const events: ReceivedEvent[] = [];
      for (const text of frames) {
        const frame = safeParseJson(text, Frame)?.value;
        if (frame?.type === "hello") greet();
        else if (frame?.type === "disconnect") this.#announced(frame.reason);
        else if (frame?.envelope_id !== undefined) {
          envelopes.push(frame.envelope_id);
          events.push(...this.#parse(frame));
        }
      }
      if (envelopes.length === 0) continue;
      await this.#keeper.receive(events);
      for (const id of envelopes) socket.send(JSON.stringify({ envelope_id: id }));
    }
  }

  /** What Slack sends and the service does not understand would otherwise come again. */
  #parse(frame: unknown): ReceivedEvent[] {
    try {
      return parseEnvelope(frame, this.#account.self);
    } catch (error) {
      if (error instanceof AppError && error.code === "invalid_input") return [];
      throw error;
    }
  }

  #announced(reason: string | undefined): void {
    if (reason === "link_disabled") {
      throw new PlatformFailure(
        "refused",
        "Socket Mode is switched off: switch it on in the app's settings.",
      );
    }
    void this.#relay.renew();
  }
}

/** The sentences of Slack's errors are about the bot token. */
function asFailureOfAppToken(error: unknown): never {
  if (error instanceof PlatformFailure && error.kind === "unauthorized") {
    const sentence = "Slack does not accept the app-level token: enter one with the scope connections:write.";
    throw new PlatformFailure("unauthorized", sentence);
  }
  throw error;
}
