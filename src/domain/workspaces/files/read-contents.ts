import type { ProjectStorage } from "#src/platform/runtime/project-storage.ts";

/** Paths per call: a caller that has found enough stops asking. */
const PATHS_PER_CALL = 1_000;

export interface FoundContent {
  path: string;
  /** Size of the file in bytes. */
  size: number;
  /** Undefined for anything but a file, and for more than `maxBytes`. */
  bytes: Uint8Array | undefined;
}

/**
 * Returns the contents of files, in order, one in memory at a time. A file that is gone, or behind a link, is skipped.
 */
export async function* readContents(
  runtime: Pick<ProjectStorage, "readEntries">,
  paths: readonly string[],
  { maxBytes }: { maxBytes: number },
): AsyncGenerator<FoundContent, undefined> {
  for (let at = 0; at < paths.length; at += PATHS_PER_CALL) {
    const entries = await runtime.readEntries(paths.slice(at, at + PATHS_PER_CALL));
    for await (const { entry, content } of entries) {
      const { path, kind, size } = entry;
      if (kind === "file" && size <= maxBytes) yield { path, size, bytes: await collect(content, size) };
      else yield { path, size, bytes: undefined };
    }
  }
}

async function collect(content: AsyncIterable<Uint8Array>, size: number): Promise<Uint8Array> {
  const whole = new Uint8Array(size);
  let filled = 0;
  for await (const chunk of content) {
    whole.set(chunk, filled);
    filled += chunk.byteLength;
  }
  return whole;
}

/** Whether bytes are binary by git's rule: a NUL among the first 8,000. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8_000).includes(0);
}
