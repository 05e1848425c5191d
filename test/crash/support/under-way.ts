import { setTimeout as pause } from "node:timers/promises";
import { vi } from "vitest";
import type { HeldOutcomes } from "./held-outcomes.ts";
import { PATIENCE } from "./patience.ts";

/** A job that an executor had, and has not ended. */
interface HeldJob {
  kind: string;
  key: string;
  generation: string;
}

/** How a job went on whose executor was killed. */
export interface GoneOn extends HeldJob {
  /** From the ready line until another executor had it, in milliseconds: 0 if that came before. */
  ms: number;
  /** Whether the executor's lease still held when the service was ready. */
  waited: boolean;
}

const LOOK_MS = 50;

/** The jobs that executors have at this moment. */
export function jobsUnderWay(outcomes: HeldOutcomes): Promise<HeldJob[]> {
  return outcomes.query("SELECT kind, key, generation::text FROM jobs WHERE lease_until > now()");
}

/** Resolves when a job of each kind is under way, and at `until` in any case. */
export async function untilUnderWay(
  outcomes: HeldOutcomes,
  kinds: readonly string[],
  until: number,
): Promise<void> {
  for (;;) {
    const found = new Set((await jobsUnderWay(outcomes)).map(({ kind }) => kind));
    if (kinds.every((kind) => found.has(kind)) || Date.now() > until) return;
    await pause(LOOK_MS);
  }
}

/** Resolves when each of these jobs has another executor, or has been done: then its generation is gone. */
export async function goOn(
  outcomes: HeldOutcomes,
  jobs: readonly HeldJob[],
  { readyAt, waited }: { readyAt: number; waited: boolean },
): Promise<GoneOn[]> {
  const gone: GoneOn[] = [];
  let left = jobs;
  await vi.waitFor(
    async () => {
      const still = await outcomes.query<Pick<HeldJob, "generation">>(
        "SELECT generation::text FROM jobs WHERE generation = ANY($1::bigint[])",
        left.map(({ generation }) => generation),
      );
      const ms = Date.now() - readyAt;
      const generations = new Set(still.map(({ generation }) => generation));
      gone.push(
        ...left.filter((job) => !generations.has(job.generation)).map((job) => ({ ...job, ms, waited })),
      );
      left = left.filter((job) => generations.has(job.generation));
      if (left.length > 0) throw new Error(`These jobs do not go on: ${JSON.stringify(left)}`);
    },
    { ...PATIENCE, interval: LOOK_MS },
  );
  return gone;
}

/** A line for each kind: how often a job of it was under way at a kill, and how long those took that waited for a lease. */
export function linesByKind(all: readonly GoneOn[]): string[] {
  return Array.from(
    Map.groupBy(all, ({ kind }) => kind),
    ([kind, jobs]) => {
      const waits = jobs.flatMap(({ waited, ms }) => (waited ? [ms] : [])).toSorted((a, b) => a - b);
      const at = (part: number) => waits[Math.floor(part * (waits.length - 1))];
      return `  ${kind}: ${jobs.length} under way, ready to going on ${waits.length} times, p50 ${at(0.5)} ms, max ${at(1)} ms`;
    },
  ).toSorted();
}
