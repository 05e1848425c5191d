import type { MediaReference } from "#src/channels/channel.ts";
import { AppError } from "#src/lib/errors.ts";
import { headOf } from "#src/lib/head-of.ts";
import { storableText } from "#src/lib/storable-text.ts";
import type { AttemptLimits } from "#src/domain/operations/limits/index.ts";
import type { Transcription } from "#src/platform/transcription/transcription.ts";
import { cached, keep, mediaKey, transcriptKey, type CacheDeps } from "./cache.ts";
import { fetchMedia, type MediaSource } from "./fetch-media.ts";
import { MediaProblem } from "./media-problem.ts";

export interface VoiceDeps extends CacheDeps {
  transcription: Transcription | undefined;
  attempts: AttemptLimits;
}

/** Longest transcript, in characters: an hour of speech has about 60,000. */
const MAX_CHARS = 100_000;

/**
 * Returns what is said in a voice message. A recording is transcribed once: its transcript is kept as long as the
 * recording. Throws `MediaProblem`, in words for the person, when there is no transcript.
 */
export async function transcribeVoice(
  deps: VoiceDeps,
  source: MediaSource & { userId: string },
  media: MediaReference,
): Promise<string> {
  const { transcription } = deps;
  if (!transcription) {
    throw new MediaProblem(media, "voice messages are not transcribed here. Please write instead.");
  }
  const key = transcriptKey(mediaKey(deps, source.channelId, media));
  const known = await cached(deps, key);
  if (known) return new TextDecoder().decode(known.bytes);
  const recording = await fetchMedia(deps, source, media);
  const text = await transcribeWithin(deps, transcription, source.userId, media, recording);
  const bytes = Uint8Array.from(new TextEncoder().encode(text));
  if (text === "") throw new MediaProblem(media, "no words were heard. Please try again, or write instead.");
  await keep(deps, key, { bytes, mimeType: "text/plain" });
  return text;
}

/**
 * Transcribes within the person's limits. The operator pays for transcriptions: credits are reserved and charged in
 * tokens, which a recording has none of, so the number of recordings is limited instead.
 */
async function transcribeWithin(
  { attempts, log }: VoiceDeps,
  transcription: Transcription,
  userId: string,
  media: MediaReference,
  recording: Parameters<Transcription["transcribe"]>[0],
): Promise<string> {
  for (const rule of ["voiceHour", "voiceDay"] as const) {
    const decision = await attempts.take(rule, `${rule}:${userId}`);
    if (decision?.allowed === false) {
      const minutes = Math.ceil(decision.retryAfterSeconds / 60);
      const when = minutes === 1 ? "a minute" : `${minutes} minutes`;
      throw new MediaProblem(media, `there were too many. Please write, or try again in ${when}.`);
    }
  }
  try {
    return headOf(storableText(await transcription.transcribe(recording)).trim(), MAX_CHARS);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.warn("a voice message was not transcribed", { cause: error });
    throw new MediaProblem(media, "it could not be transcribed. Please try again, or write instead.", {
      cause: error,
    });
  }
}
