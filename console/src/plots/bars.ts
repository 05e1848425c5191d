/** One value for each day, under a name. */
export interface Series {
  readonly name: string;
  readonly values: readonly number[];
}

/** The upper edges of bars that stand on each other: each series with all before it. */
export function barsOf(series: readonly Series[]): Series[] {
  return series.map(({ name, values }, at) => ({
    name,
    values: values.map((_, day) =>
      series.slice(0, at + 1).reduce((sum, each) => sum + (each.values[day] ?? 0), 0),
    ),
  }));
}
