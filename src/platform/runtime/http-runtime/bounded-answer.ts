import { AppError } from "#src/lib/errors.ts";
import { isPlainPath } from "#src/lib/project-path.ts";
import { readerOf } from "../entry-stream.ts";

/**
 * A workspace server runs as the same user as the programs of its project, which can make it return anything: its
 * responses are untrusted.
 */

/** Largest response that is held in memory: the list of 100,000 files. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Reads a whole response. Rejects if it breaks off or is too large. */
export async function bytesOf({ body }: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const { read, cancel } = body ? readerOf(body) : NOTHING;
  for (let chunk = await read(); chunk; chunk = await read()) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) {
      await cancel();
      throw new Error(`The response has more than ${MAX_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  const whole = new Uint8Array(size);
  let filled = 0;
  for (const chunk of chunks) {
    whole.set(chunk, filled);
    filled += chunk.byteLength;
  }
  return whole;
}

const NOTHING = { read: async () => undefined, cancel: async () => undefined };

export async function textOf(response: Response): Promise<string> {
  return new TextDecoder().decode(await bytesOf(response));
}

/** Throws `invalid_input` for an entry outside of the project; an archive must not create files there. */
export function requireInside({ path }: { path: string }): void {
  if (!isPlainPath(path)) throw new AppError("invalid_input", "The project has a file with an invalid path");
}
