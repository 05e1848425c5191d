import { AppError } from "#src/lib/errors.ts";
import type { EntryWithContent, StoredEntry } from "#src/platform/runtime/project-storage.ts";

/**
 * The most content that a snapshot stores of one project: twice the default disk limit. The disk limit does not bound
 * the content, because a sparse file takes almost no disk space.
 */
const MAX_BYTES = 10 * 1024 ** 3;

/** Throws `too_large` if the entries together exceed the limit. */
export function requireStorable(entries: Iterable<Pick<StoredEntry, "size">>): void {
  let bytes = 0;
  for (const { size } of entries) bytes += size;
  if (bytes > MAX_BYTES) throw tooLarge();
}

/** Passes the entries through; throws `too_large` before the content of the entry that exceeds the limit. */
export async function* boundedEntries(
  entries: AsyncIterable<EntryWithContent>,
): AsyncGenerator<EntryWithContent> {
  let bytes = 0;
  for await (const each of entries) {
    bytes += each.entry.size;
    if (bytes > MAX_BYTES) throw tooLarge();
    yield each;
  }
}

function tooLarge(): AppError {
  return new AppError(
    "too_large",
    `The project's files are larger than ${MAX_BYTES} bytes, the holes of sparse files included`,
  );
}
