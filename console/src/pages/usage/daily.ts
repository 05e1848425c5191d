import type { api } from "@agent-workspace/client";

export type Call = api.ListModelCallsResponses[200]["logs"][number];

/** A day's credits by model. */
export interface Daily {
  readonly days: readonly string[];
  /** Those with the most credits first; the last is of all others, where there are more. */
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
}

const SHOWN = 5;
const OTHERS = "others";

/** Credits of calls by day and model, for each of these days. */
export function dailyOf(calls: readonly Call[], days: readonly string[]): Daily {
  const sums = new Map<string, number>();
  for (const { model, credits_deducted: credits } of calls) {
    sums.set(model, (sums.get(model) ?? 0) + credits);
  }
  const ranked = [...sums].toSorted(([, one], [, other]) => other - one).map(([model]) => model);
  const own = new Set(ranked.slice(0, SHOWN));
  const names = [...own, ...(ranked.length > SHOWN ? [OTHERS] : [])];
  const values = new Map(names.map((name) => [name, days.map(() => 0)]));
  const places = new Map(days.map((day, at) => [day, at]));
  for (const { model, credits_deducted: credits, created_at } of calls) {
    const at = places.get(created_at.slice(0, 10));
    const of = values.get(own.has(model) ? model : OTHERS);
    if (at !== undefined && of) of[at] = (of[at] ?? 0) + credits;
  }
  return { days, series: names.map((name) => ({ name, values: values.get(name) ?? [] })) };
}

/** The credits of one day. */
export const totalOf = ({ series }: Daily, day: number): number =>
  series.reduce((sum, { values }) => sum + (values[day] ?? 0), 0);
