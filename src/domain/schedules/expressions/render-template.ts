import { WEEKDAYS } from "./calendar-names.ts";
import { localTime } from "./zones.ts";

const VARIABLE = /\{(date|time|weekday|schedule_name)\}/g;

/**
 * A prompt with its variables filled in: `{date}` as 2026-11-24, `{time}` as 09:00 and `{weekday}` as Tuesday, all in the
 * schedule's zone, and `{schedule_name}`. Other braces stay, and so do those of the name.
 */
export function renderTemplate(
  template: string,
  { name, timezone, at }: { name: string; timezone: string; at: Date },
): string {
  const local = new Date(localTime(at.getTime(), timezone));
  const [date = "", time = ""] = local.toISOString().split("T");
  const values: Readonly<Record<string, string>> = {
    date,
    time: time.slice(0, 5),
    weekday: WEEKDAYS[local.getUTCDay()] ?? "",
    schedule_name: name,
  };
  return template.replaceAll(VARIABLE, (written, variable: string) => values[variable] ?? written);
}
