import { AppError } from "#src/lib/errors.ts";

/** Requests that change files and are on their way to the workspace server. */
export class Changes {
  readonly #running = new Set<Change>();

  /**
   * Makes a change. Its body must go through `guarded`: a change that is cut off before its end is refused as a whole
   * by the server, and a complete one is no longer cut off. The change lasts until `release` is called, or `act`
   * throws.
   */
  async make(
    kind: Change["kind"],
    act: (guarded: Guard, release: () => void) => Promise<Response>,
  ): Promise<Response> {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const change: Change = { kind, cut: new AbortController(), over };
    this.#running.add(change);
    const release = () => {
      this.#running.delete(change);
      resolve();
    };
    try {
      const response = await act((body) => cuttable(body, change.cut.signal), release);
      if (response.ok || !change.cut.signal.aborted) return response;
      // The server only knows that the body broke off.
      await response.body?.cancel();
      throw new AppError("unavailable", "The project's files are being moved; try again in a moment");
    } catch (error) {
      release();
      throw error;
    }
  }

  get isReplacing(): boolean {
    return [...this.#running].some(({ kind }) => kind === "replacement");
  }

  get isEmpty(): boolean {
    return this.#running.size === 0;
  }

  /** Cuts off changes whose body is still being sent, of one kind or all. Resolves when they are over. */
  async cutOff(kind?: Change["kind"]): Promise<void> {
    const cut = [...this.#running].filter((change) => kind === undefined || change.kind === kind);
    for (const change of cut) change.cut.abort();
    await Promise.all(cut.map(({ over }) => over));
  }
}

interface Change {
  /** Replaces all files, or makes any other change. */
  kind: "replacement" | "change";
  cut: AbortController;
  over: Promise<void>;
}

type Guard = (body: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array>;

/** `pipeThrough` with a signal is not used: in workerd it checks the signal only at the next chunk. */
function cuttable(body: ReadableStream<Uint8Array>, cut: AbortSignal): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    start(controller) {
      cut.addEventListener("abort", () => {
        controller.error(new Error("The request was cut off"));
        reader.cancel().catch(() => undefined);
      });
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (cut.aborted) return;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
