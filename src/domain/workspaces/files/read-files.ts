import { AppError } from "#src/lib/errors.ts";
import { normalizePathIn } from "#src/lib/project-path.ts";
import { pathFromRootIn } from "./paths.ts";
import type { FileEntry, ProjectFiles } from "#src/platform/runtime/project-files.ts";
import { toText, type Encoding } from "./contents.ts";
import { readTree } from "./tree.ts";

/**
 * Largest file in the JSON forms, in bytes: the JSON text is several times in memory, and an isolate has 128 MB. Larger
 * files are read through the raw form.
 */
const JSON_FILE_BYTES = 12 * 1024 * 1024;
/** Most bytes that one batch returns. */
const BATCH_BYTES = 12 * 1024 * 1024;
/** Limits of the listing with contents: files, and bytes per file. */
const LISTED_FILES = 200;
const LISTED_FILE_BYTES = 100_000;
/** Concurrent reads of one request. */
const AT_ONCE = 8;

export interface FileText {
  content: string;
  encoding: Encoding;
  /** Bytes of the file. */
  size: number;
  version: string | undefined;
}

/** A file whose bytes were not read yet. Read them or cancel the stream. */
export interface OpenFile {
  entry: FileEntry;
  body: ReadableStream<Uint8Array>;
}

/** Opens a file. Throws `not_found`. */
export async function openFile(runtime: ProjectFiles, path: string): Promise<OpenFile> {
  const file = await runtime.readStream(path);
  if (!file) throw new AppError("not_found", "File not found");
  return file;
}

/** An opened file as text. Throws `too_large`, and `invalid_input` for bytes that are not text. */
export async function readText({ entry, body }: OpenFile, encoding: Encoding): Promise<FileText> {
  const { size, version } = entry;
  if (size > JSON_FILE_BYTES) {
    await body.cancel();
    throw new AppError("too_large", `The file has ${size} bytes; read it through files/raw`);
  }
  const bytes = new Uint8Array(await new Response(body).arrayBuffer());
  if (bytes.length !== size) {
    throw new AppError("unavailable", "The file changed while it was read; try again");
  }
  const content = toText(bytes, encoding);
  if (content === undefined) {
    throw new AppError(
      "invalid_input",
      "The file is not text; read it with encoding=base64 or through files/raw",
    );
  }
  return { content, encoding, size, version };
}

export interface Batch {
  files: { path: string; content: string; size: number; version: string | undefined }[];
  errors: { path: string; error: string }[];
}

/** Reads several text files, by their requested paths. A file that cannot be read is reported with its own error. */
export async function readBatch(
  runtime: ProjectFiles,
  directory: string | undefined,
  paths: readonly string[],
): Promise<Batch> {
  let left = BATCH_BYTES;
  const results = await mapSome(paths, async (path) => {
    try {
      const file = await openFile(runtime, pathFromRootIn(directory, path));
      if (file.entry.size > left) {
        await file.body.cancel();
        throw new AppError("too_large", "The batch is full: request this file on its own");
      }
      left -= file.entry.size;
      const { content, size, version } = await readText(file, "utf-8");
      return { file: { path, content, size, version } };
    } catch (error) {
      if (error instanceof AppError && error.status < 500) return { error: { path, error: error.message } };
      throw error;
    }
  });
  return {
    files: results.flatMap(({ file }) => file ?? []),
    errors: results.flatMap(({ error }) => error ?? []),
  };
}

/** The first small text files of the project's tree, with their contents. */
export async function listTexts(
  runtime: ProjectFiles,
  directory: string,
): Promise<{ entry: FileEntry; content: string }[]> {
  const tree = await readTree(runtime, directory);
  const small = tree.filter(({ kind, size }) => kind === "file" && size <= LISTED_FILE_BYTES);
  const texts = await mapSome(small.slice(0, LISTED_FILES), async (entry) => {
    const bytes = await runtime.readFile(normalizePathIn(directory, entry.path));
    const content = bytes && toText(bytes, "utf-8");
    return content === undefined ? undefined : { entry, content };
  });
  return texts.filter((text) => text !== undefined);
}

/** As `Promise.all` over a map, in the same order, with a few calls at a time. */
async function mapSome<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  const work = async () => {
    for (const [index, item] of waiting) results[index] = await map(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}
