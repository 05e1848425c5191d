import type { ChannelApi, MediaReference } from "#src/channels/channel.ts";
import { PlatformFailure } from "#src/channels/platform-failure.ts";
import type { CachedMedia } from "#src/platform/media-cache/media-cache.ts";
import { cached, keep, mediaKey, type CacheDeps } from "./cache.ts";
import { MediaProblem } from "./media-problem.ts";

/** Largest file that is fetched: 25 MB, as much as a transcription takes and less than the agent can read. */
const MAX_MEDIA_BYTES = 25_000_000;

/** Pause before a fetch that failed for the moment is repeated. */
const PAUSE_MS = 1_000;

/** Where files of messages come from. */
export interface MediaSource {
  channelId: string;
  api: Pick<ChannelApi, "download">;
}

/**
 * Fetches a file of a channel's message, from the cache if it was fetched before. Throws `MediaProblem` for a file above
 * 25 MB, and for one that the platform does not hand out.
 */
export async function fetchMedia(
  deps: CacheDeps,
  { channelId, api }: MediaSource,
  media: MediaReference,
): Promise<CachedMedia> {
  if (media.size !== undefined && media.size > MAX_MEDIA_BYTES) throw tooLarge(media);
  const key = mediaKey(deps, channelId, media);
  const known = await cached(deps, key);
  if (known) return known;
  const fetched = await download(api, media);
  if (fetched.bytes.byteLength > MAX_MEDIA_BYTES) throw tooLarge(media);
  if (fetched.bytes.byteLength === 0) throw new MediaProblem(media, "it is empty.");
  await keep(deps, key, fetched);
  return fetched;
}

async function download(api: MediaSource["api"], media: MediaReference): Promise<CachedMedia> {
  if (!api.download) throw new MediaProblem(media, "this platform hands out no files.");
  try {
    return await api.download(media, MAX_MEDIA_BYTES);
  } catch (error) {
    if (!isPassing(error)) throw problemOf(media, error);
  }
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  try {
    return await api.download(media, MAX_MEDIA_BYTES);
  } catch (error) {
    throw problemOf(media, error);
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof PlatformFailure && error.isPassing;
}

function problemOf(media: MediaReference, error: unknown): unknown {
  if (!(error instanceof PlatformFailure)) return error;
  const why = error.kind === "refused" ? error.message : "the platform did not hand it out.";
  return new MediaProblem(media, why, { cause: error });
}

function tooLarge(media: MediaReference): MediaProblem {
  return new MediaProblem(media, "it is larger than 25 MB.");
}
