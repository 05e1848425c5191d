import { vi } from "vitest";

/** A frame as a test looks at it. */
export interface Frame {
  type: string;
  [field: string]: unknown;
}

export type TestSocket = Awaited<ReturnType<typeof openSocket>>;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- that of Node takes headers, which the types of workerd's do not say
const SocketWithHeaders = WebSocket as unknown as new (
  address: string,
  options: { headers: Record<string, string> },
) => WebSocket;

/** A WebSocket that sends headers, as no browser's can. */
export const webSocketOf = (address: string, headers: Record<string, string>): WebSocket =>
  new SocketWithHeaders(address, { headers });

/** A WebSocket of the service; `headers` as no browser can set them. */
export async function openSocket(
  url: string,
  path: string,
  { headers = {} }: { headers?: Record<string, string> } = {},
) {
  const address = new URL(path, url.replace(/^http/u, "ws")).href;
  const socket = webSocketOf(address, headers);
  const frames: Frame[] = [];
  let taken = 0;
  socket.addEventListener("message", ({ data }) => frames.push(JSON.parse(String(data))));
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.addEventListener("close", ({ code, reason }) => resolve({ code, reason })),
  );
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", () => reject(new Error(`No socket at ${path}`)));
  });
  /** All output of a terminal so far. */
  const output = () =>
    frames
      .filter(({ type }) => type === "output")
      .map(({ data }) => data)
      .join("");
  return {
    /** Everything that came so far. */
    frames,
    send: (frame: object) => socket.send(JSON.stringify(frame)),
    /** The first frame of this type from now on, or one that came and was not waited for yet. */
    next: (type: string) =>
      vi.waitFor(
        () => {
          const at = frames.findIndex((frame, index) => index >= taken && frame.type === type);
          if (at === -1) throw new Error(`No ${type}, but ${JSON.stringify(frames.slice(-5))}`);
          taken = at + 1;
          return frames[at] ?? { type };
        },
        { interval: 20 },
      ),
    output,
    untilOutput: (words: string) =>
      vi.waitFor(
        () => {
          if (!output().includes(words)) throw new Error(`So far: ${output()}`);
          return output();
        },
        { interval: 20 },
      ),
    /** How it was closed, as code and reason. */
    closed,
    /** Leave. */
    close: () => socket.close(),
    /** Break the connection off without a word, as a lost network does, and wait until it is gone. */
    async drop(): Promise<void> {
      socket.close();
      await closed;
    },
  };
}
