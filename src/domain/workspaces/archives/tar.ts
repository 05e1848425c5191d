import { createTarDecoder, createTarPacker, type ParsedTarEntry, type TarHeader } from "modern-tar";
import type { EntryWithContent, StoredEntry } from "#src/platform/runtime/project-storage.ts";

/** Packs entries as a tar archive. The stream fails when the entries fail. */
export function packEntries(entries: AsyncIterable<EntryWithContent>): ReadableStream<Uint8Array> {
  const { readable, controller } = createTarPacker();
  const pack = async () => {
    try {
      for await (const { entry, content } of entries) {
        const body = controller.add(headerOf(entry)).getWriter();
        for await (const chunk of content) await body.write(chunk);
        await body.close();
      }
      controller.finalize();
    } catch (error) {
      controller.error(error);
    }
  };
  void pack();
  return readable;
}

const TAR_TYPES = { file: "file", directory: "directory", symlink: "symlink" } as const;

function headerOf({ path, kind, size, mode, modifiedAt, target }: StoredEntry): TarHeader {
  const name = kind === "directory" ? `${path}/` : path;
  return {
    name,
    type: TAR_TYPES[kind],
    size,
    mode: mode & 0o7777,
    // Whole seconds, none before 1970.
    mtime: new Date(Math.max(0, modifiedAt)),
    linkname: target,
    // Non-ASCII names are certain to be read as UTF-8 only in an extended header.
    pax: { ...(isAscii(name) ? {} : { path: name }), ...(isAscii(target) ? {} : { linkpath: target }) },
  };
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/u.test(text);
}

/**
 * The entries of a tar archive, one after the other. The content of an entry can be read until the next entry is
 * requested. Throws if the data is not a tar archive or is truncated.
 */
export async function* unpackEntries(
  archive: ReadableStream<Uint8Array>,
): AsyncGenerator<{ header: TarHeader; content: ReadableStream<Uint8Array> }> {
  const entries: ReadableStream<ParsedTarEntry> = archive.pipeThrough(createTarDecoder({ strict: true }));
  for await (const { header, body } of entries) {
    yield { header, content: body };
    // Content that the reader left unread precedes the next entry.
    if (!body.locked) await body.cancel();
  }
}
