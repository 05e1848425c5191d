import type { MediaReference } from "#src/channels/channel.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { CachedMedia, MediaCache } from "#src/platform/media-cache/media-cache.ts";

export interface CacheDeps {
  mediaCache: MediaCache;
  log: Log;
  config: { GATEWAY_MEDIA_CACHE_DIR: string };
}

/**
 * Name of a file in the cache. No channel finds the files of another, and the reference, which can be an address with a
 * signature, is only hashed.
 */
export function mediaKey(
  { config }: Pick<CacheDeps, "config">,
  channelId: string,
  { reference }: Pick<MediaReference, "reference">,
): string {
  return `${config.GATEWAY_MEDIA_CACHE_DIR}/${channelId}/${sha256Hex(reference)}`;
}

/** Name of a recording's transcript in the cache. */
export function transcriptKey(key: string): string {
  return `${key}.txt`;
}

/** Reads the cache; one that does not respond has nothing. */
export async function cached({ mediaCache, log }: CacheDeps, key: string): Promise<CachedMedia | undefined> {
  try {
    return await mediaCache.get(key);
  } catch (cause) {
    log.warn("the cache of media could not be read", { cause });
    return undefined;
  }
}

/** Writes to the cache. A failure costs another fetch at most. */
export async function keep({ mediaCache, log }: CacheDeps, key: string, media: CachedMedia): Promise<void> {
  try {
    await mediaCache.put(key, media);
  } catch (cause) {
    log.warn("the cache of media could not be written", { cause });
  }
}

/** What the sweep may delete: the bucket has snapshots, too, and their folder may be named like the cache. */
const OWN_NAME = /^[\w.-]+\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\/[0-9a-f]{64}(\.txt)?$/u;

/** Deletes media that are older than GATEWAY_MEDIA_CACHE_MAX_AGE_HOURS. */
export async function sweepMedia({
  mediaCache,
  config,
}: Pick<CacheDeps, "mediaCache"> & {
  config: CacheDeps["config"] & { GATEWAY_MEDIA_CACHE_MAX_AGE_HOURS: number };
}): Promise<void> {
  const oldest = Date.now() - config.GATEWAY_MEDIA_CACHE_MAX_AGE_HOURS * 3_600_000;
  const old: string[] = [];
  for await (const { key, storedAt } of mediaCache.list(`${config.GATEWAY_MEDIA_CACHE_DIR}/`)) {
    if (OWN_NAME.test(key) && storedAt.getTime() < oldest) old.push(key);
  }
  await mediaCache.delete(old);
}
