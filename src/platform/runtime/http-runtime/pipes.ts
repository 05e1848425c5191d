import { AppError } from "#src/lib/errors.ts";
import { PIPE_SIGN_MS, type ProjectPipes } from "../project-pipes.ts";

interface Calls {
  /** Sends JSON, and returns the body of the response. */
  open: (path: string, body: unknown) => Promise<ReadableStream<Uint8Array>>;
  tell: (path: string, body: unknown) => Promise<void>;
}

/** Programs on pipes over a workspace server, which is told regularly that the reader of each is still there. */
export function pipesOver({ open, tell }: Calls): ProjectPipes {
  const writePipe = (id: string, data: string) => tell(`/pipes/${id}/input`, { data });
  return {
    async openPipe(id, { file, args, cwd = "", env = {} }) {
      const output = await open(`/pipes/${id}`, { file, args, cwd, env });
      return untilItEnds(
        output,
        giveSigns(() => writePipe(id, "")),
      );
    },
    writePipe,
  };
}

/** Gives signs until the returned function is called, or the program has ended. Holds no stream, so that one that is lost is collected. */
function giveSigns(give: () => Promise<void>): () => void {
  const timer = setInterval(() => {
    // A sign that is lost is made up for by the next one.
    void give().catch((error: unknown) => {
      if (error instanceof AppError && error.code === "conflict") clearInterval(timer);
    });
  }, PIPE_SIGN_MS);
  return () => clearInterval(timer);
}

/** The same stream; calls `onEnd` when it ends, breaks off or is cancelled. */
function untilItEnds(stream: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await reader.read();
          if (!next.done) return controller.enqueue(next.value);
          onEnd();
          controller.close();
        } catch (error) {
          onEnd();
          controller.error(error);
        }
      },
      async cancel(reason) {
        onEnd();
        await reader.cancel(reason);
      },
    },
    // Nothing is read before it is asked for.
    { highWaterMark: 0 },
  );
}
