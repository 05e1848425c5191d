/** A time of the service, in the person's own zone; the whole of it on hover. */
export function Moment({ at }: { at: string | null | undefined }) {
  if (at === null || at === undefined) return <span class="muted">–</span>;
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  const text = isToday
    ? date.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" })
    : date.toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" });
  return (
    <time dateTime={at} title={date.toLocaleString()}>
      {text}
    </time>
  );
}

/** Milliseconds as a person reads them: `80 ms`, `1.4 s`, `3 min`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.round(ms / 60_000)} min`;
}
