import { ListChecks } from "lucide-preact";
import { Link } from "wouter-preact";
import { State } from "../../parts/badge.tsx";
import { Empty } from "../../parts/empty.tsx";
import { StateFilter } from "../../parts/filter.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Pager } from "../../parts/pager.tsx";
import { PLATFORM_NAMES } from "../../parts/platform-name.ts";
import { Table } from "../../parts/table.tsx";
import { useNarrowed } from "../../parts/use-narrowed.ts";
import { useRuns, type RunFilter } from "../../service/reads.ts";
import { taskState } from "./task-state.ts";

const STATES = {
  queued: "Queued",
  running: "Running",
  completed: "Done",
  failed: "Failed",
  cancelled: "Stopped",
} as const;

const ORIGINS: Readonly<Record<string, string>> = {
  browser: "Browser",
  api: "API key",
  schedule: "Schedule",
  standalone: "Desktop app",
  ...PLATFORM_NAMES,
};

/** Every task of the person: of chats, keys, channels and schedules. */
export function RunsPage() {
  const { filter, page, narrow, go } = useNarrowed<{ status?: RunFilter; origin?: string | undefined }>({});
  const { status, origin } = filter;
  return (
    <>
      <Heading>Tasks</Heading>
      <p class="muted">Everything you asked agents to do, from chats, API keys, channels and schedules.</p>
      <div class="filter">
        <StateFilter label="State" states={STATES} narrow={(next) => narrow({ ...filter, status: next })} />
        <StateFilter label="From" states={ORIGINS} narrow={(next) => narrow({ ...filter, origin: next })} />
      </div>
      <Loaded of={useRuns(page, status, origin)}>
        {({ items, total, total_pages: pages }) => (
          <>
            {total === 0 && status === undefined && origin === undefined && (
              <Empty icon={ListChecks} title="No tasks yet">
                A task begins when you message the agent in a chat, or when a schedule, a channel or a program
                with an API key does.
              </Empty>
            )}
            {total === 0 && (status !== undefined || origin !== undefined) && (
              <p class="muted">No matching tasks.</p>
            )}
            {total > 0 && (
              <Table label="List of tasks" columns={["Message", "State", "From", "Started"]}>
                {items.map((task) => (
                  <tr key={task.task_id}>
                    <td>
                      <Link href={`/runs/${task.task_id}`}>{task.message_preview || task.task_id}</Link>
                    </td>
                    <td>
                      <State of={taskState(task)} />
                    </td>
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
