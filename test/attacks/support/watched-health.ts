import { setTimeout as pause } from "node:timers/promises";

const EVERY_MS = 50;

/** How often something was done, and the milliseconds that 99 % of it took at most. */
export interface Times {
  count: number;
  p99: number;
}

/** Do something once after the other until something else is over; how long each took. */
export async function timesDuring(act: () => Promise<void>, again: () => Promise<unknown>): Promise<Times> {
  const samples: number[] = [];
  const over = new AbortController();
  const repeating = (async () => {
    while (!over.signal.aborted) {
      const started = performance.now();
      await again();
      samples.push(performance.now() - started);
      await pause(EVERY_MS);
    }
  })();
  try {
    await act();
  } finally {
    over.abort();
    await repeating;
  }
  const sorted = samples.toSorted((one, other) => one - other);
  return { count: sorted.length, p99: sorted[Math.floor((sorted.length - 1) * 0.99)] ?? 0 };
}

/** How long `/health` took while something happened. */
export function healthDuring(url: string, act: () => Promise<void>): Promise<Times> {
  return timesDuring(act, async () => {
    const response = await fetch(`${url}/health`);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`/health answered ${response.status}`);
  });
}
