import { readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";

const Takeover = z.object({
  time: z.iso.datetime(),
  message: z.literal("a job is taken over from an executor that left no outcome"),
  kind: z.string(),
});

/** A start of the service after a kill. */
export interface Return {
  /** When it was killed, in milliseconds since the epoch. */
  goneAt: number;
  /** When it was ready again, in milliseconds since the epoch. */
  readyAt: number;
  /** Whether the leases of the dead had ended before, as after a long time without the service. */
  isLate: boolean;
}

/**
 * How long after the service was ready the jobs of executors that had died went on, in milliseconds in rising order, by the
 * kind of job; 0 before the ready line. As the service's log on `dataDir` has it. Those of late returns do not count: they
 * waited for no lease.
 */
export function takeoversByKind(dataDir: string, returns: readonly Return[]): Map<string, number[]> {
  const lines = readFileSync(path.join(dataDir, "logs", "service.jsonl"), "utf8").split("\n");
  const waits = lines.flatMap((line) => {
    const takeover = safeParseJson(line, Takeover)?.value;
    if (!takeover) return [];
    const at = Date.parse(takeover.time);
    const last = returns.findLast(({ goneAt }) => goneAt <= at);
    return last && !last.isLate ? [{ kind: takeover.kind, ms: Math.max(0, at - last.readyAt) }] : [];
  });
  const byKind = Map.groupBy(waits, ({ kind }) => kind);
  return new Map(
    Array.from(byKind, ([kind, all]) => [
      kind,
      all.map(({ ms }) => ms).toSorted((one, other) => one - other),
    ]),
  );
}
