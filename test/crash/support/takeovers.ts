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
 * kind of job; as the service's log on `dataDir` has it; 0 before
 * its ready line. Those of late returns do not count: they waited for no lease.
 */
export function takeoversByKind(dataDir: string, returns: readonly Return[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const line of readFileSync(path.join(dataDir, "logs", "service.jsonl"), "utf8").split("\n")) {
    const takeover = safeParseJson(line, Takeover)?.value;
    if (!takeover) continue;
    const at = Date.parse(takeover.time);
    const last = returns.findLast(({ goneAt }) => goneAt <= at);
    if (!last || last.isLate) continue;
    found.set(takeover.kind, [...(found.get(takeover.kind) ?? []), Math.max(0, at - last.readyAt)]);
  }
  for (const [kind, all] of found)
    found.set(
      kind,
      all.toSorted((one, other) => one - other),
    );
  return found;
}
