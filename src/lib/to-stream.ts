/** An async iteration as a stream: errors pass through, and cancelling the stream ends the iteration. */
export function toStream<T>(items: AsyncGenerator<T, void, undefined>): ReadableStream<T> {
  return new ReadableStream<T>(
    {
      async pull(controller) {
        const { done, value } = await items.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => void (await items.return()),
    },
    { highWaterMark: 0 },
  );
}

/** Texts as bytes. */
export async function* encoded(
  texts: AsyncGenerator<string, void, undefined>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  for await (const text of texts) yield encoder.encode(text);
}
