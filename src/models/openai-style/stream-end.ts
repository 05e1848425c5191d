/** Most bytes that are kept of a stream's end; the mark has fewer, with the line breaks around it. */
const TAIL = 64;
const END_MARK = /(?:^|[\r\n])data: ?\[DONE\]\s*$/u;

/** Knows whether a response has come to its end: the SDK removes the end mark without a word. One for each call. */
export class StreamEnd {
  #tail = "";
  #isJson = false;

  /** Whether the response ended with `[DONE]`, or is a whole JSON document. */
  get isReached(): boolean {
    return this.#isJson || END_MARK.test(this.#tail);
  }

  /** Returns a `fetch` whose responses are read through this. */
  watching(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
    return async (input, init) => {
      const response = await fetch(input, init);
      this.#isJson = isJson(response);
      if (!response.body || this.#isJson) return response;
      const note = new TransformStream<Uint8Array, Uint8Array>({
        transform: (part, controller) => {
          this.#tail = (this.#tail + latin1(part.subarray(-TAIL))).slice(-TAIL);
          controller.enqueue(part);
        },
      });
      return new Response(response.body.pipeThrough(note), response);
    };
  }
}

/** Whether a response is one JSON document and no stream. */
export function isJson({ headers }: Response): boolean {
  return headers.get("content-type")?.includes("json") ?? false;
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
