/** Silence after which a space is sent. A client that is gone is noticed at the second one. */
const HEARTBEAT_MS = 500;

/**
 * Returns the JSON of work that takes long. Until it is there, spaces are sent, which JSON allows at its beginning: a
 * server may notice only when it writes that its client has closed the connection. Then `onGone` is called.
 */
export function patientJson(work: Promise<unknown>, { onGone }: { onGone: () => void }): Response {
  const encoder = new TextEncoder();
  let heartbeat: ReturnType<typeof setInterval> | undefined;
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      heartbeat = setInterval(() => controller.enqueue(encoder.encode(" ")), HEARTBEAT_MS);
      try {
        const value = await work;
        controller.enqueue(encoder.encode(JSON.stringify(value)));
        controller.close();
      } catch (error) {
        controller.error(error);
      } finally {
        clearInterval(heartbeat);
      }
    },
    cancel() {
      clearInterval(heartbeat);
      onGone();
    },
  });
  return new Response(body, { headers: { "Content-Type": "application/json" } });
}
