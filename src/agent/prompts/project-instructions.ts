import { AppError } from "#src/lib/errors.ts";
import type { ProjectFiles } from "#src/platform/runtime/project-files.ts";

/** File in which a project tells agents how to work on it. https://agents.md */
const PATH = "AGENTS.md";
/** Most bytes of the file that the prompt includes. */
export const INSTRUCTIONS_BYTES = 32 * 1024;

/**
 * Returns the project's AGENTS.md for the system prompt: the first 32 KiB, with a note if more was cut; empty if there
 * is no such file, it is not text, or the files cannot be read now. The same file gives the same text.
 */
export async function readProjectInstructions(files: Pick<ProjectFiles, "readStream">): Promise<string> {
  try {
    const file = await files.readStream(PATH);
    if (!file) return "";
    const bytes = await firstBytes(file.body, INSTRUCTIONS_BYTES);
    const cut = file.entry.size - bytes.length;
    // The cut may have split the last character.
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes, {
      stream: cut > 0,
    });
    if (text.includes("\0")) return "";
    return cut > 0 ? `${text.trim()}\n[... ${cut} bytes cut ...]` : text.trim();
  } catch (error) {
    // The user did not ask for this file, so a sleeping project and non-text content count as no file.
    if (error instanceof AppError || error instanceof TypeError) return "";
    throw error;
  }
}

async function firstBytes(body: ReadableStream<Uint8Array>, most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk.subarray(0, most - size));
    size += chunk.length;
    // Leaving the loop cancels the stream.
    if (size >= most) break;
  }
  return Buffer.concat(chunks);
}
