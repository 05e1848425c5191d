import { setTimeout as pause } from "node:timers/promises";

const EVERY_MS = 50;

/** Times in milliseconds. */
export interface Times {
  count: number;
  p50: number;
  p99: number;
  max: number;
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
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** How long `/health` took while something happened. */
export function healthDuring(url: string, act: () => Promise<void>): Promise<Times> {
  return timesDuring(act, async () => {
    const response = await fetch(`${url}/health`);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`/health answered ${response.status}`);
  });
}
