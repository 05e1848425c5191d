import { text } from "node:stream/consumers";
import { vi } from "vitest";
import { serve } from "#local/serve.ts";

export interface ReceivedRequest {
  path: string;
  headers: Record<string, string>;
  /** Raw, for checking its signature. */
  body: string;
  /** Milliseconds since the epoch. */
  at: number;
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** A receiver of callbacks. `answer` says what each request gets, with how many came to its path before. */
export async function startReceiver(
  answer: (path: string, before: number) => { status: number; location?: string } = () => ({ status: 200 }),
) {
  const all: ReceivedRequest[] = [];
  const received = (path: string) => all.filter((each) => each.path === path);
  const { url, close } = await serve(async (request, response) => {
    const path = request.url ?? "/";
    const { status, location } = answer(path, received(path).length);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    all.push({ path, headers, body: await text(request), at: Date.now() });
    response.writeHead(status, location === undefined ? {} : { location }).end();
  });
  return {
    url,
    /** What came to a path so far, in order. */
    received,
    /** Resolves with the first request to a path. */
    first: (path: string) => vi.waitUntil(() => received(path)[0], { interval: 50 }),
    /** Resolves with what came to a path as soon as there are so many. */
    waitFor: (path: string, count: number) =>
      vi.waitUntil(
        () => {
          const found = received(path);
          return found.length >= count && found;
        },
        { interval: 50 },
      ),
    close,
  };
}
