/** A number of bytes as a person reads it: `512 B`, `3.4 KiB`, `12 MiB`. */
export function bytes(count: number): string {
  if (count < 1_024) return `${count} B`;
  const [value, unit] = count < 1_048_576 ? [count / 1_024, "KiB"] : [count / 1_048_576, "MiB"];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}
