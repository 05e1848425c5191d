import { WorkspaceError } from "@agent-workspace/client";
import { useEffect, useState } from "preact/hooks";
import { usePreview } from "./reads.ts";

const TYPING_MS = 400;

/** A value once it has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** The next five moments of a schedule in its own zone, while it is typed. */
export function NextRuns({ schedule, timezone }: { schedule: string; timezone: string }) {
  const { data, error } = usePreview(useSettled(schedule.trim()), useSettled(timezone.trim()));
  return (
    <div role="status" aria-label="Next runs" class="notice">
      {error instanceof WorkspaceError && <p>{error.detail}</p>}
      {error && !(error instanceof WorkspaceError) && <p>The next runs could not be loaded.</p>}
      {!error && !data && <p class="muted">The next runs appear here.</p>}
      {!error && data && (
        <>
          <p>
            {data.description} <span class="muted small">({data.normalized_cron})</span>
          </p>
          <ol>
            {data.next_runs.map((moment) => (
              <li key={moment}>
                <time dateTime={moment}>{inZone(moment, data.timezone)}</time>
              </li>
            ))}
          </ol>
          {data.note !== null && <p class="muted">{data.note}</p>}
        </>
      )}
    </div>
  );
}

/** A moment as clocks of a zone show it. */
export function inZone(moment: string, timeZone: string): string {
  const date = new Date(moment);
  const shown = {
    weekday: "short",
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
  } as const;
  try {
    return date.toLocaleString(undefined, { ...shown, timeZone });
  } catch {
    // The browser may not know a zone that the service knows.
    return date.toLocaleString(undefined, shown);
  }
}
