import type { AgentRuntime } from "#src/platform/runtime/project-runtime.ts";
import { failure, type ToolFailure } from "./tool.ts";

/** Largest text that a tool loads into memory; a turn may read several at once, and an isolate has 128 MB. */
export const TEXT_FILE_BYTES = 4 * 1024 * 1024;

type TextFile = { ok: true; text: string; sizeBytes: number } | { ok: false; failure: ToolFailure };

/** Reads a file as text, including a byte order mark, so that writing it back changes nothing else. */
export async function readTextFile(runtime: AgentRuntime, path: string): Promise<TextFile> {
  const entry = await runtime.stat(path);
  if (!entry) return missing(path);
  if (entry.kind === "directory") {
    return refused(
      failure(`${path} is a directory.`, "Name a file in it.", { file_path: path, exists: true }),
    );
  }
  const facts = { file_path: path, exists: true, details: { size_bytes: entry.size } };
  if (entry.size > TEXT_FILE_BYTES) {
    const error = `${path} is too large to load: ${entry.size} bytes, the limit is ${TEXT_FILE_BYTES}.`;
    return refused(failure(error, "Use bash_exec with head, tail, sed -n or grep.", facts));
  }
  const bytes = await runtime.readFile(path);
  if (!bytes) return missing(path);
  const text = decodeText(bytes);
  if (text === undefined) {
    return refused(failure(`${path} is not text: a binary file of ${bytes.length} bytes.`, undefined, facts));
  }
  return { ok: true, text, sizeBytes: bytes.length };
}

/** Counts the lines of a text; a line break at the end does not begin another line. */
export function countLines(text: string): number {
  if (text === "") return 0;
  const breaks = text.split("\n").length - 1;
  return text.endsWith("\n") ? breaks : breaks + 1;
}

function missing(path: string): TextFile {
  const suggestion =
    "Check the path: it is relative to the project root. list_dir and glob show what is there.";
  return refused(failure(`There is no file ${path}.`, suggestion, { file_path: path, exists: false }));
}

function refused(reason: ToolFailure): TextFile {
  return { ok: false, failure: reason };
}

/**
 * Decodes bytes as text; undefined for bytes that are not UTF-8 or contain a NUL. The beginning of a longer text may
 * end within a character.
 */
export function decodeText(
  bytes: Uint8Array,
  { isWhole = true }: { isWhole?: boolean } = {},
): string | undefined {
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const text = decoder.decode(bytes, { stream: !isWhole });
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
