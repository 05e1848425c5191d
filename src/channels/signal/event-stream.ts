/** More than the longest message of the bridge. */
const MAX_WAITING = 4 * 1024 * 1024;

/**
 * The data of server-sent events, as they arrive: those of one piece of the stream together. Ends when the stream ends or
 * breaks off, and when the signal is aborted.
 */
export async function* eventsIn(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<string[], void, undefined> {
  const reader = body.getReader();
  const stop = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const decoder = new TextDecoder();
  let waiting = "";
  try {
    for (;;) {
      const piece = await reader.read().catch(() => undefined);
      if (!piece || piece.done) return;
      waiting += decoder.decode(piece.value, { stream: true });
      const blocks = waiting.split(/\r\n\r\n|\n\n|\r\r/u);
      waiting = blocks.pop() ?? "";
      if (waiting.length > MAX_WAITING) return;
      const data = blocks.map(dataOf).filter((text) => text !== "");
      if (data.length > 0) yield data;
    }
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}

function dataOf(block: string): string {
  return block
    .split(/\r\n|\n|\r/u)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice("data:".length).replace(/^ /u, ""))
    .join("\n");
}
