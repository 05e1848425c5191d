import type { ChannelApi, MediaReference, Place, RenderedText, Sender } from "#src/channels/channel.ts";
import type { Answer, PlatformServer } from "#test/support/platforms/platform-server.ts";

/**
 * What may happen to a call: the platform's own 429 with `BUSY_SECONDS`; a 500; a web page with the status 200; no answer at
 * all; an answer that is lost, after the call had its effect; the credentials are no good; the call can never work.
 */
export type Trouble = "busy" | "error" | "garbage" | "hang" | "lost" | "unauthorized" | "refused";

/** What the platform asks for when it is busy. */
export const BUSY_SECONDS = 7;

/** A text of the bot as its reader finds it. */
export interface SeenText {
  text: string;
  /** The message that it replies to. */
  replyTo: string | undefined;
}

/** A platform that runs, with the calls of one bot at it. */
export interface RunningPlatform {
  api: ChannelApi;
  /** What no failure may contain. */
  secrets: readonly string[];
  /** Where the bot may write. */
  place: Place;
  /** A thread or topic where the bot may write, if the platform has any. */
  thread: Place | undefined;
  /** A message that a person wrote at the place. */
  message: { messageId: string; sender: Sender };
  /** All texts of the bot at a place, in order. */
  texts(place: Place): Promise<readonly SeenText[]> | readonly SeenText[];
  /** Names and contents of all files that the bot sent. */
  files(place: Place): Promise<readonly Uint8Array[]> | readonly Uint8Array[];
  /** Makes the next call end so. */
  trouble(trouble: Trouble): Promise<void> | void;
  /** How many calls the platform got. */
  callCount(): Promise<number> | number;
  /** A file that a person sent. */
  file?: (bytes: Uint8Array) => Promise<MediaReference> | MediaReference;
  /** A file that is said to be at another address. */
  fileAt?: (url: string) => Promise<MediaReference> | MediaReference;
  close(): Promise<void>;
}

/**
 * Calls over a network, with all their troubles; threads; replies to one message, at a place that is no thread; downloads; and
 * downloads from an address that a person's message names.
 */
export type Feature = "network" | "threads" | "replies" | "downloads" | "downloadsByAddress";

/** A platform as its contract needs it. */
export interface PlatformUnderTest {
  label: string;
  start(): Promise<RunningPlatform>;
  /** An agent's Markdown in the platform's messages. */
  render: (markdown: string) => Promise<readonly RenderedText[]>;
  /** What a reader sees of a text: the markup itself, where the platform's mock does not interpret it. */
  reads: (text: RenderedText) => string;
  has: readonly Feature[];
}

/** The troubles of a platform that is one server. */
export function troubles(
  server: Pick<PlatformServer, "failNext">,
  answers: { unauthorized: Answer; refused: Answer },
): RunningPlatform["trouble"] {
  return (trouble) => {
    switch (trouble) {
      case "busy":
        return server.failNext({ kind: "busy", retryAfterSeconds: BUSY_SECONDS });
      case "error":
        return server.failNext({ kind: "answer", status: 500, text: "out of order" });
      case "unauthorized":
      case "refused":
        return server.failNext({ kind: "answer", ...answers[trouble] });
      case "garbage":
      case "hang":
      case "lost":
        return server.failNext({ kind: trouble });
      default:
        return trouble satisfies never;
    }
  };
}

/** A file by what the platform fetches it by. */
export function mediaAt(reference: string, mimeType?: string): MediaReference {
  return { kind: "document", reference, mimeType, filename: undefined, size: undefined };
}
