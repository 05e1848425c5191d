import { Link } from "wouter-preact";
import { StateFilter } from "../../parts/filter.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Pager } from "../../parts/pager.tsx";
import { Table } from "../../parts/table.tsx";
import { useNarrowed } from "../../parts/use-narrowed.ts";
import { useRuns, type RunFilter } from "../../service/reads.ts";

const STATES = {
  queued: "queued",
  running: "running",
  completed: "completed",
  failed: "failed",
  cancelled: "cancelled",
} as const;

const ORIGINS: Readonly<Record<string, string>> = {
  browser: "browser",
  api: "API key",
  schedule: "schedule",
  standalone: "desktop app",
  telegram: "Telegram",
  slack: "Slack",
  discord: "Discord",
  whatsapp: "WhatsApp",
  signal: "Signal",
  cli: "command line",
};

/** Every task of the person: of chats, keys, channels and schedules. */
export function RunsPage() {
  const { filter, page, narrow, go } = useNarrowed<{ status?: RunFilter; origin?: string | undefined }>({});
  const { status, origin } = filter;
  return (
    <>
      <h1>Runs</h1>
      <div class="filter">
        <StateFilter label="State" states={STATES} narrow={(next) => narrow({ ...filter, status: next })} />
        <StateFilter label="From" states={ORIGINS} narrow={(next) => narrow({ ...filter, origin: next })} />
      </div>
      <Loaded of={useRuns(page, status, origin)}>
        {({ items, total, total_pages: pages }) => (
          <>
            {total === 0 && (
              <p class="muted">
                {status === undefined && origin === undefined
                  ? "No task yet: write to an agent in a chat, or start one with a key."
                  : "No task of this kind."}
              </p>
            )}
            {total > 0 && (
              <Table label="List of runs" columns={["Message", "State", "From", "Started"]}>
                {items.map((task) => (
                  <tr key={task.task_id}>
                    <td>
                      <Link href={`/runs/${task.task_id}`}>{task.message_preview || task.task_id}</Link>
                    </td>
                    <td>{task.status}</td>
                    <td>{ORIGINS[task.origin] ?? task.origin}</td>
                    <td>
                      <Moment at={task.created_at} />
                    </td>
                  </tr>
                ))}
              </Table>
            )}
            <Pager page={page} pages={pages} go={go} />
          </>
        )}
      </Loaded>
    </>
  );
}
