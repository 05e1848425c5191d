import type { Trips } from "#src/platform/trips.ts";
import type { Answer } from "./http-client.ts";
import type { Figure } from "./measurement.ts";

/** Most round trips of a request. */
export type Budget = Partial<Record<keyof Trips, number>>;

/** The round trips of a request beside its budget, as the service counts them in `Server-Timing`. */
export function tripsOf(what: string, { headers }: Pick<Answer, "headers">, budget: Budget): Figure[] {
  const shown = String(headers["server-timing"]);
  return Object.entries(budget).map(([kind, atMost]) => ({
    what: `${what}: ${kind}`,
    value: Number(new RegExp(`${kind};desc="(\\d+)"`, "u").exec(shown)?.[1]),
    unit: "",
    goal: { atMost },
  }));
}
