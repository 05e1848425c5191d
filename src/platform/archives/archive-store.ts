/**
 * Large objects by name: packs and manifests of snapshots, templates. What is stored under a name is whole or not there.
 * Failures of the store are `unavailable`.
 */
export interface ArchiveStore {
  /** Store what the stream brings, in place of what is there. A stream that breaks off stores nothing, and its error is thrown. */
  put(key: string, body: ReadableStream<Uint8Array>): Promise<StoredArchive>;
  /**
   * What is stored, as a stream; `undefined` for nothing. With a checksum the stream fails at its end, with `unavailable`,
   * where the bytes are others.
   */
  get(key: string, sha256?: string): Promise<ReadableStream<Uint8Array> | undefined>;
  /** Names that are not there are fine. */
  delete(keys: readonly string[]): Promise<void>;
  list(prefix: string): AsyncIterable<ListedArchive>;
}

export interface StoredArchive {
  bytes: number;
  /** In lowercase hexadecimal. */
  sha256: string;
}

export interface ListedArchive {
  key: string;
  storedAt: Date;
}
