import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { PlatformFailure } from "../platform-failure.ts";

/** Opcodes of frames. */
const DISPATCH = 0;
const HEARTBEAT = 1;
const IDENTIFY = 2;
const RESUME = 6;
const RECONNECT = 7;
const INVALID_SESSION = 9;
const HELLO = 10;
const HEARTBEAT_ACK = 11;

/** GUILDS, GUILD_MESSAGES, DIRECT_MESSAGES and MESSAGE_CONTENT, the last of which an owner has to switch on. */
const INTENTS = (1 << 0) | (1 << 9) | (1 << 12) | (1 << 15);

const Frame = z.looseObject({
  op: z.int(),
  d: z.unknown().optional(),
  s: z.int().nullish(),
  t: z.string().nullish(),
});
const Hello = z.looseObject({ heartbeat_interval: z.number().min(1_000).max(600_000) });
const Ready = z.looseObject({
  session_id: z.string(),
  resume_gateway_url: z.string(),
});

/** What a session needs to go on over another socket. */
export const Resumable = z.object({ sessionId: z.string(), resumeUrl: z.string(), sequence: z.int() });
export type Resumable = z.infer<typeof Resumable>;

/** What a frame asks for. */
export type Step =
  | { kind: "nothing" }
  | { kind: "send"; frame: string }
  /** The gateway is there: send the frame, and heartbeats in this interval from now on. */
  | { kind: "greeted"; frame: string; heartbeatMs: number }
  /** Events arrive from now on. */
  | { kind: "ready" }
  | { kind: "event"; type: string; data: unknown }
  /** Close the socket and connect again; the session goes on unless `isResumable` is false. */
  | { kind: "reconnect"; isResumable: boolean };

/**
 * One socket's side of a session at Discord's gateway: frames in, what is to be done out. Source: discord-api-docs, gateway
 * and opcodes.
 */
export class GatewaySession {
  readonly #token: string;
  #resumable: Resumable | undefined;
  #sequence: number | null;
  #isAcknowledged = true;

  constructor(token: string, resumable: Resumable | undefined) {
    this.#token = token;
    this.#resumable = resumable;
    this.#sequence = resumable?.sequence ?? null;
  }

  /** How the session goes on, with the sequence number of the last frame that was taken; undefined before it began. */
  get resumable(): Resumable | undefined {
    return this.#resumable && this.#sequence !== null
      ? { ...this.#resumable, sequence: this.#sequence }
      : undefined;
  }

  take(text: string): Step {
    const frame = safeParseJson(text, Frame)?.value;
    if (frame === undefined) return { kind: "nothing" };
    if (frame.op === DISPATCH) return this.#dispatched(frame);
    switch (frame.op) {
      case HELLO: {
        const { heartbeat_interval: heartbeatMs } = Hello.parse(frame.d);
        return { kind: "greeted", frame: this.#introduction(), heartbeatMs };
      }
      case HEARTBEAT:
        return { kind: "send", frame: this.#heartbeat() };
      case HEARTBEAT_ACK: {
        this.#isAcknowledged = true;
        return { kind: "nothing" };
      }
      case RECONNECT:
        return { kind: "reconnect", isResumable: true };
      case INVALID_SESSION:
        return { kind: "reconnect", isResumable: frame.d === true };
      default:
        return { kind: "nothing" };
    }
  }

  /** The next heartbeat; undefined when the last one was not acknowledged, and the socket is dead. */
  beat(): string | undefined {
    if (!this.#isAcknowledged) return undefined;
    this.#isAcknowledged = false;
    return this.#heartbeat();
  }

  #dispatched({ s: sequence, t: type, d: data }: z.infer<typeof Frame>): Step {
    if (typeof sequence === "number") this.#sequence = sequence;
    if (type === "READY") {
      const { session_id: sessionId, resume_gateway_url: resumeUrl } = Ready.parse(data);
      this.#resumable = { sessionId, resumeUrl, sequence: sequence ?? 0 };
      return { kind: "ready" };
    }
    if (type === "RESUMED") return { kind: "ready" };
    return { kind: "event", type: type ?? "", data };
  }

  #introduction(): string {
    const resumable = this.resumable;
    if (resumable) {
      const { sessionId, sequence } = resumable;
      return frameOf(RESUME, { token: this.#token, session_id: sessionId, seq: sequence });
    }
    const client = "agent-workspace-service";
    const properties = { os: "linux", browser: client, device: client };
    return frameOf(IDENTIFY, { token: this.#token, intents: INTENTS, properties });
  }

  #heartbeat(): string {
    return frameOf(HEARTBEAT, this.#sequence);
  }
}

function frameOf(op: number, d: unknown): string {
  return JSON.stringify({ op, d });
}

/** Codes after which Discord refuses the same connection again, with what an owner does about it. */
const FINAL: ReadonlyMap<number, PlatformFailure> = new Map([
  [4004, final("unauthorized", "Discord does not accept the bot token any more: enter a new one.")],
  [4010, final("refused", "Discord refused the connection: invalid shard.")],
  [4011, final("refused", "The bot is in too many servers for one connection.")],
  [4012, final("refused", "Discord no longer supports this version of its gateway.")],
  [4013, final("refused", "Discord refused the connection: invalid intents.")],
  [
    4014,
    final(
      "refused",
      "Switch the Message Content intent on, under Bot in the Discord Developer Portal, and reload the channel.",
    ),
  ],
]);
/** Codes after which the session is over: invalid sequence, and session timed out. */
const ENDS_SESSION: ReadonlySet<number> = new Set([4007, 4009]);

function final(kind: "unauthorized" | "refused", message: string): PlatformFailure {
  return new PlatformFailure(kind, message);
}

/** What follows from the code that Discord closed a socket with. */
export function afterClose(code: number): { failure: PlatformFailure | undefined; isResumable: boolean } {
  return { failure: FINAL.get(code), isResumable: !ENDS_SESSION.has(code) };
}
