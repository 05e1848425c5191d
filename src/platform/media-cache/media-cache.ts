/** A file that was fetched from a messaging platform. */
export interface CachedMedia {
  bytes: Uint8Array<ArrayBuffer>;
  mimeType: string;
}

/** Files that messages refer to, kept so that a repetition fetches none twice. Failures of the store are `unavailable`. */
export interface MediaCache {
  get(key: string): Promise<CachedMedia | undefined>;
  put(key: string, media: CachedMedia): Promise<void>;
  /** Ignores names that do not exist. */
  delete(keys: readonly string[]): Promise<void>;
  /** The names that begin with a prefix. */
  list(prefix: string): AsyncIterable<{ key: string; storedAt: Date }>;
}
