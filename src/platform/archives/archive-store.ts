/**
 * Large objects by name: packs and manifests of snapshots, templates. A write is atomic: an object is whole or absent.
 * Failures of the store are `unavailable`.
 */
export interface ArchiveStore {
  /**
   * Stores the stream, replacing the object of that name. A stream that breaks off stores nothing, and its error is
   * thrown.
   */
  put(key: string, body: ReadableStream<Uint8Array>): Promise<StoredArchive>;
  /**
   * Returns the object as a stream; `undefined` if there is none. With a checksum the stream fails at its end, with
   * `unavailable`, when the bytes do not match.
   */
  get(key: string, sha256?: string): Promise<ReadableStream<Uint8Array> | undefined>;
  /** Returns `length` bytes of the object from `offset` on; `undefined` if there is none, or it is shorter. */
  read(key: string, range: { offset: number; length: number }): Promise<Uint8Array | undefined>;
  /** Ignores names that do not exist. */
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
