import { AppError } from "#src/lib/errors.ts";
import type { ProjectFiles } from "#src/platform/runtime/project-files.ts";

/** Where a project says how agents should work on it. https://agents.md */
const PATH = "AGENTS.md";
/** Most bytes of it that the prompt takes. */
export const INSTRUCTIONS_BYTES = 32 * 1024;

/**
 * The project's AGENTS.md as it enters the system prompt: the first 32 KiB, with a note where more was cut; empty where there
 * is none, it is not text, or the files cannot be read now. The same file gives the same text.
 */
export async function readProjectInstructions(files: Pick<ProjectFiles, "readStream">): Promise<string> {
  try {
    const file = await files.readStream(PATH);
    if (!file) return "";
    const bytes = await firstBytes(file.body, INSTRUCTIONS_BYTES);
    const cut = file.entry.size - bytes.length;
    // The last character may have lost its end with what was cut.
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes, {
      stream: cut > 0,
    });
    if (text.includes("\0")) return "";
    return cut > 0 ? `${text.trim()}\n[... ${cut} bytes cut ...]` : text.trim();
  } catch (error) {
    // Nobody asked for the file: a project that is asleep, and bytes that are no text, are answered as none.
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
