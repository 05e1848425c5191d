import { AppError } from "#src/lib/errors.ts";
import type { EntryWithContent, StoredEntry } from "#src/platform/runtime/project-storage.ts";

/**
 * Content that is stored of one project at once: twice what it may take up on a disk by default. That limit does not hold it,
 * since a file with holes takes up next to nothing there and is of any size here.
 */
const MAX_BYTES = 10 * 1024 ** 3;

/** Throws `too_large`. */
export function requireStorable(entries: Iterable<Pick<StoredEntry, "size">>): void {
  let bytes = 0;
  for (const { size } of entries) bytes += size;
  if (bytes > MAX_BYTES) throw tooLarge();
}

/** The same entries; throws `too_large` before the content of the one that is too much. */
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
