import os from "node:os";
import { isMet, type Figure, type Measurement } from "./measurement.ts";

export interface Result {
  measurement: Measurement;
  figures: Figure[];
  /** Why there are no figures. */
  notRun?: string;
  /** Whether that is a fault, and not something that this machine lacks. */
  hasFailed?: boolean;
}

const WIDTHS = { what: 50, value: 18, goal: 12 };

/** One measurement as text. */
export function formatResult({ measurement, figures, notRun }: Result): string {
  const lines = figures.map((figure) => {
    const met = isMet(figure);
    return [
      `  ${figure.what.padEnd(WIDTHS.what)}`,
      withUnit(figure.value, figure.unit).padStart(WIDTHS.value),
      goalOf(figure).padStart(WIDTHS.goal),
      met === undefined ? "" : met ? "met" : "MISSED",
    ]
      .join("  ")
      .trimEnd();
  });
  const missing = notRun === undefined ? [] : [`  NOT RUN: ${notRun}`];
  return [measurement.title, ...wrap(measurement.how), ...lines, ...missing, ""].join("\n");
}

/** A summary of the missed goals, and of what was not measured. */
export function formatSummary(results: readonly Result[]): string {
  const missed = results.flatMap(({ measurement, figures }) =>
    figures
      .filter((figure) => isMet(figure) === false)
      .map((figure) => {
        const reached = withUnit(figure.value, figure.unit);
        return `  ${measurement.title}, ${figure.what}: ${reached}, goal ${goalOf(figure)}`;
      }),
  );
  const notRun = results.flatMap(({ measurement, notRun: why }) =>
    why === undefined ? [] : [`  ${measurement.name}: ${why}`],
  );
  return [
    ...(missed.length === 0 ? ["All measured goals are met."] : ["Missed:", ...missed]),
    ...(notRun.length === 0 ? [] : ["Not run:", ...notRun]),
  ].join("\n");
}

/** The machine's description; its load shows other work on it. */
export function formatMachine(): string {
  const [cpu] = os.cpus();
  const load = os.loadavg().map((value) => value.toFixed(1));
  return `${os.availableParallelism()} × ${cpu?.model.trim() ?? "unknown CPU"}, load ${load.join(" ")}`;
}

/** The results as JSON. */
export function toJson(results: readonly Result[]): string {
  const plain = results.map(({ measurement, figures, notRun }) => ({
    name: measurement.name,
    ...(notRun !== undefined && { notRun }),
    figures: figures.map((figure) => ({ ...figure, met: isMet(figure) })),
  }));
  return JSON.stringify({ machine: formatMachine(), results: plain }, null, 2);
}

function goalOf({ goal }: Figure): string {
  if (!goal) return "";
  return "atMost" in goal ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast.toLocaleString("en")}`;
}

function withUnit(value: number, unit: string): string {
  const digits = Number.isInteger(value) || Math.abs(value) >= 1000 ? 0 : Math.abs(value) >= 100 ? 1 : 2;
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return `${value.toLocaleString("en", options)} ${unit}`.trimEnd();
}

function wrap(text: string): string[] {
  const width = WIDTHS.what + WIDTHS.value + WIDTHS.goal + 12;
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`.trimStart();
  }
  return lines.map((line) => `  ${line}`);
}
