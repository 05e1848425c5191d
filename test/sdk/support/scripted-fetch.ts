import type { Fetch, FetchInit } from "@agent-workspace/client";
import { systemClock } from "#sdk/clock.ts";

/** A request as the client sent it. */
export interface SentRequest extends FetchInit {
  url: URL;
}

/** One answer of a script: a response, or a failure of the network. */
export type Step = (request: SentRequest) => Response | Promise<Response>;

/** A `fetch` that plays its steps, one for each request, and keeps the requests. The last step goes on. */
export function scriptedFetch(...steps: Step[]): { fetch: Fetch; sent: SentRequest[] } {
  const sent: SentRequest[] = [];
  return {
    sent,
    fetch: async (url, init) => {
      const request = { ...init, url: new URL(url) };
      sent.push(request);
      const step = steps[Math.min(sent.length, steps.length) - 1];
      if (!step) throw new Error("The script has no step");
      return step(request);
    },
  };
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Step {
  return () => Response.json(body, { status, headers });
}

export function text(body: string, type: string, status = 200): Step {
  return () => new Response(body, { status, headers: { "content-type": type } });
}

/** What `fetch` does when it cannot connect. */
export const broken: Step = () => {
  throw new TypeError("fetch failed");
};

/** Waits that take no time, and are kept. Chance gives its largest value. */
export function quickClock() {
  const waits: number[] = [];
  return {
    waits,
    now: systemClock.now,
    random: () => 1,
    sleep: (ms: number, signal?: AbortSignal): Promise<void> => {
      // A limit is waited for; it ends with its signal.
      if (ms >= 40_000) return systemClock.sleep(ms, signal);
      waits.push(ms);
      return systemClock.sleep(0, signal);
    },
  };
}
