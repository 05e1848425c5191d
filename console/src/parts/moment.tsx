import { signal } from "@preact/signals";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** From then on a date says more than a number of days. */
const FAR_MS = 7 * DAY_MS;

const inWords = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** What time it is, to the minute. */
const now = signal(Date.now());
setInterval(() => {
  if (document.visibilityState === "visible") now.value = Date.now();
}, MINUTE_MS);
document.addEventListener("visibilitychange", () => {
  now.value = Date.now();
});

/** How long ago a time was, or until it is; a far one as a date. */
function relative(date: Date, ms: number): string {
  const size = Math.abs(ms);
  if (size < MINUTE_MS) return ms > 0 ? "in a moment" : "just now";
  if (size < HOUR_MS) return inWords.format(Math.trunc(ms / MINUTE_MS), "minute");
  if (size < DAY_MS) return inWords.format(Math.trunc(ms / HOUR_MS), "hour");
  if (size < FAR_MS) return inWords.format(Math.trunc(ms / DAY_MS), "day");
  return date.toLocaleDateString("en", { day: "numeric", month: "short", year: "numeric" });
}

/** A time of the service, seen from now; the exact one, in the person's own zone, on hover. */
export function Moment({ at, none = "–" }: { at: string | null | undefined; none?: string }) {
  if (at === null || at === undefined) return <span class="muted">{none}</span>;
  const date = new Date(at);
  // A time that the service has just set may be ahead of the last look at the clock.
  const seenFrom = Math.max(now.value, Math.min(Date.now(), date.getTime()));
  return (
    <time dateTime={at} title={date.toLocaleString("en", { dateStyle: "full", timeStyle: "medium" })}>
      {relative(date, date.getTime() - seenFrom)}
    </time>
  );
}
