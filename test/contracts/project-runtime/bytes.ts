import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";

export const MEGABYTE = 1024 * 1024;

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
export const textFrom = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** A content that compresses badly and repeats late, so that a lost or doubled part shows. */
export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 65_536) {
    crypto.getRandomValues(bytes.subarray(at, Math.min(at + 65_536, length)));
  }
  return bytes;
}

export function chunked(content: Uint8Array, chunkBytes = 100_000): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= content.length) return controller.close();
      controller.enqueue(content.slice(at, at + chunkBytes));
      at += chunkBytes;
    },
  });
}

export function breakingOff(content: Uint8Array): ReadableStream<Uint8Array> {
  const reader = chunked(content).getReader();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) throw new Error("the client is gone");
      controller.enqueue(value);
    },
  });
}

export async function collect(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(body).arrayBuffer());
}

/** Comparing megabytes with `toEqual` takes a minute and prints them. */
export function same(actual: Uint8Array | undefined, expected: Uint8Array): boolean {
  if (actual?.length !== expected.length) return false;
  for (let at = 0; at < expected.length; at += 1) if (actual[at] !== expected[at]) return false;
  return true;
}

/** The text of a project's file; `undefined` where there is none. */
export async function textAt(
  runtime: Pick<ProjectRuntime, "readFile">,
  path: string,
): Promise<string | undefined> {
  const bytes = await runtime.readFile(path);
  return bytes && textFrom(bytes);
}
