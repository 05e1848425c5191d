import { AppError } from "#src/lib/errors.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import type { MediaCache } from "./media-cache.ts";

/** Fetched media in the bucket of archives, which also has their names. */
export function r2MediaCache(
  bucket: Pick<R2Bucket, "get" | "put">,
  archives: Pick<ArchiveStore, "delete" | "list">,
): MediaCache {
  return {
    async get(key) {
      const object = await reach(bucket.get(key));
      if (!object) return undefined;
      const bytes = new Uint8Array(await reach(object.arrayBuffer()));
      return { bytes, mimeType: object.httpMetadata?.contentType ?? "application/octet-stream" };
    },
    async put(key, { bytes, mimeType }) {
      await reach(bucket.put(key, bytes, { httpMetadata: { contentType: mimeType } }));
    },
    delete: (keys) => archives.delete(keys),
    list: (prefix) => archives.list(prefix),
  };
}

async function reach<T>(pending: Promise<T>): Promise<T> {
  try {
    return await pending;
  } catch (cause) {
    throw new AppError("unavailable", "The cache of media did not answer; try again", { cause });
  }
}
