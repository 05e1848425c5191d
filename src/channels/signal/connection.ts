import { z } from "zod";
import { bodyOf } from "#src/lib/body-of.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { ReceivedEvent } from "../channel.ts";
import type { Account, Connect, FrameSocket, Keeper } from "../connection.ts";
import { answerJson, unreachable } from "../platform-call.ts";
import { PlatformFailure } from "../platform-failure.ts";
import { type Line, Relay } from "../relay.ts";
import { Bridge } from "./bridge.ts";
import { credentials as Credentials } from "./credentials.ts";
import { eventsIn } from "./event-stream.ts";
import { parseEnvelope } from "./parse.ts";

/** How long the bridge waits for the first message of a poll, and for another when it has just had some. */
const IDLE_SECONDS = 30;
const BUSY_SECONDS = 1;
const MARGIN_SECONDS = 60;
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Looks, about a minute each, after which a line is replaced: the bridge's own pings are not seen here, lines can die
 * without a word, and a guarded answer ends after a quarter of an hour.
 */
const LOOKS_OF_A_LINE = 8;

const ENDED = 1000;

/**
 * The bridge, in the mode that it is in. By WebSocket and by event stream it sends a message to those who listen, keeps
 * none, and knows no acknowledgement: so the next line is open before the last one is closed. Polls are asked for one by
 * one, because what a poll has returned is gone from the bridge.
 */
export const connectSignal: Connect = async (account, keeper) => {
  const bridge = new Bridge(Credentials.parse(account.credentials), account.environment);
  await new BridgeConnection(account, keeper, bridge).run();
};

/** What a request for messages without an upgrade shows of the bridge's mode. */
type Mode =
  | { kind: "stream"; body: ReadableStream<Uint8Array> }
  | { kind: "socket" }
  | { kind: "poll"; envelopes: readonly unknown[] };

class BridgeConnection {
  readonly #account: Account;
  readonly #keeper: Keeper;
  readonly #bridge: Bridge;
  readonly #path: string;
  #looks = 0;

  constructor(account: Account, keeper: Keeper, bridge: Bridge) {
    this.#account = account;
    this.#keeper = keeper;
    this.#bridge = bridge;
    this.#path = `/v1/receive/${encodeURIComponent(bridge.number)}`;
  }

  async run(): Promise<void> {
    const mode = await this.#negotiate();
    if (mode.kind === "poll") {
      await this.#poll(mode.envelopes);
      return;
    }
    let first = mode.kind === "stream" ? mode.body : undefined;
    const relay = new Relay(async () => {
      const body = first;
      first = undefined;
      return mode.kind === "socket" ? this.#socketLine() : this.#streamLine(body);
    });
    this.#keeper.watch(() => {
      this.#looks += 1;
      if (this.#looks % LOOKS_OF_A_LINE === 0) void relay.renew();
    });
    await relay.run();
  }

  async #negotiate(): Promise<Mode> {
    const response = await this.#bridge.stream(`${this.#path}?timeout=${BUSY_SECONDS}`, this.#keeper.signal);
    const stream = isEventStream(response) && bodyOf(response);
    if (stream) return { kind: "stream", body: stream };
    const bytes = new Uint8Array(await response.arrayBuffer());
    const { status, headers } = response;
    const answer = { status, headers, bytes };
    // The mode json-rpc refuses what is no WebSocket.
    if (status === 400 && /websocket/iu.test(new TextDecoder().decode(bytes))) return { kind: "socket" };
    const envelopes = answerJson(answer, z.array(z.unknown()));
    if (status === 200 && envelopes) return { kind: "poll", envelopes };
    const call = this.#bridge.describe(this.#path, { method: "GET" });
    throw status === 200 ? unreachable(call, "returned no messages") : this.#bridge.failure(call, answer);
  }

  async #poll(first: readonly unknown[]): Promise<void> {
    let envelopes = first;
    this.#keeper.connected();
    while (!this.#keeper.signal.aborted) {
      await this.#keeper.receive(envelopes.flatMap((one) => this.#parse(one)));
      // Without a limit the bridge would wait on for more before it returns the first message.
      const query =
        envelopes.length === 0 ? `timeout=${IDLE_SECONDS}&max_messages=1` : `timeout=${BUSY_SECONDS}`;
      const { call, answer } = await this.#bridge.call({
        method: "GET",
        path: `${this.#path}?${query}`,
        timeoutMs: (IDLE_SECONDS + MARGIN_SECONDS) * 1000,
        maxBytes: MAX_BYTES,
        signal: this.#keeper.signal,
      });
      const returned = answerJson(answer, z.array(z.unknown()));
      if (!returned) throw unreachable(call, "returned no messages");
      envelopes = returned;
    }
  }

  async #socketLine(): Promise<Line> {
    const socket = await this.#keeper.openGuardedSocket(this.#bridge.addressOf(this.#path));
    this.#keeper.connected();
    return { ready: Promise.resolve(), ended: this.#serve(socket), close: () => socket.close(ENDED) };
  }

  async #serve(socket: FrameSocket): Promise<void> {
    for (let frames = await socket.take(); frames; frames = await socket.take()) {
      await this.#receive(frames);
    }
  }

  async #streamLine(given: ReadableStream<Uint8Array> | undefined): Promise<Line> {
    const closing = new AbortController();
    const signal = AbortSignal.any([closing.signal, this.#keeper.signal]);
    const body = given ?? (await this.#openStream(signal));
    this.#keeper.connected();
    const read = async () => {
      for await (const data of eventsIn(body, signal)) await this.#receive(data);
    };
    return { ready: Promise.resolve(), ended: read(), close: () => closing.abort() };
  }

  async #openStream(signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#bridge.stream(this.#path, signal);
    const stream = isEventStream(response) && bodyOf(response);
    if (stream) return stream;
    await response.body?.cancel();
    throw new PlatformFailure("unreachable", "Signal's bridge ended the stream of messages.");
  }

  async #receive(frames: readonly string[]): Promise<void> {
    const events = frames.flatMap((text) => this.#parse(safeParseJson(text, z.unknown())?.value));
    if (events.length > 0) await this.#keeper.receive(events);
  }

  #parse(envelope: unknown): ReceivedEvent[] {
    const message = parseEnvelope(envelope, this.#account.self);
    return message ? [message] : [];
  }
}

function isEventStream({ status, headers }: Response): boolean {
  return status === 200 && (headers.get("content-type") ?? "").startsWith("text/event-stream");
}
