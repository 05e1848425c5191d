/** Formats numbers for the page with three significant figures, which is precise enough. */

const NAMED = [
  [1e12, "trillion"],
  [1e9, "billion"],
  [1e6, "million"],
] as const;
const BYTES = [
  [1e12, "TB"],
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "KB"],
] as const;

export function amount(value: number): string {
  const [unit, name] = NAMED.find(([least]) => value >= least * 0.9995) ?? [1, ""];
  return `${figures(value / unit)}${name && ` ${name}`}`;
}

export function bytes(value: number): string {
  const [unit, name] = BYTES.find(([least]) => value >= least * 0.9995) ?? [1, "B"];
  return `${figures(value / unit)} ${name}`;
}

export function dollars(value: number): string {
  if (value === 0) return "0";
  if (value < 0.01) return "< $0.01";
  return value < 10 ? `$${value.toFixed(2)}` : `$${figures(value)}`;
}

/** A share of a limit. */
export function share(value: number): string {
  if (value < 0.001) return "< 0.1 %";
  return value >= 10 ? `${figures(value)} ×` : `${figures(value * 100)} %`;
}

function figures(value: number): string {
  if (value !== 0 && value < 0.001) return "< 0.001";
  return Number(value.toPrecision(3)).toLocaleString("en");
}

/** A Markdown table whose columns are as wide as their widest cell; all but the first are right-aligned. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: readonly string[]) => {
    const padded = cells.map((cell, column) => {
      const space = " ".repeat((widths[column] ?? 0) - cell.length);
      return column === 0 ? cell + space : space + cell;
    });
    return `| ${padded.join(" | ")} |`;
  };
  const rule = widths.map((width, column) =>
    column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [line(head), `| ${rule.join(" | ")} |`, ...rows.map(line)].join("\n");
}
