import type { Answer } from "@agent-workspace/client";
import { useState } from "preact/hooks";
import { ActionButton } from "../../parts/action-button.tsx";
import { AskFirst } from "../../parts/ask-first.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Pager } from "../../parts/pager.tsx";
import { Table } from "../../parts/table.tsx";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { adminKeys, useFailedJobs } from "./reads.ts";

/** Work that the service gave up: an administrator has it tried again, or drops it. */
export function FailedJobs() {
  const [page, go] = useState(1);
  return (
    <section>
      <Loaded of={useFailedJobs(page)}>
        {({ jobs, pages }) => (
          <>
            {jobs.length === 0 ? (
              page === 1 && (
                <p class="muted">
                  No failed jobs. A job that failed in all its attempts is listed here, so you can retry it.
                </p>
              )
            ) : (
              <>
                <div class="row">
                  {[...new Set(jobs.map(({ kind }) => kind))].map((kind) => (
                    <ActionButton key={kind} work={() => retryAll(kind)}>
                      Retry all <code>{kind}</code>
                    </ActionButton>
                  ))}
                </div>
                <Jobs jobs={jobs} />
              </>
            )}
            <Pager page={page} pages={pages} go={go} />
          </>
        )}
      </Loaded>
    </section>
  );
}

type Job = Answer<"GET /api/admin/jobs">["jobs"][number];

function Jobs({ jobs }: { jobs: readonly Job[] }) {
  return (
    <Table label="Failed jobs" columns={["Failed", "Job", "Attempts", "Error"]} hasActions>
      {jobs.map((job) => (
        <tr key={`${job.kind}/${job.key}`}>
          <td>
            <Moment at={job.failed_at} />
          </td>
          <td>
            {job.kind}
            <div class="muted small wrapping">{job.key}</div>
          </td>
          <td>{job.attempts}</td>
          <td>{job.error}</td>
          <td>
            <ActionButton work={() => retry(job)}>
              Retry<span class="hidden"> {job.key}</span>
            </ActionButton>
            <AskFirst
              label={`Delete ${job.key}`}
              shown="Delete"
              title="Delete this job?"
              confirm="Delete"
              work={() => drop(job)}
            >
              <p>Its work is not done, and it cannot be retried.</p>
            </AskFirst>
          </td>
        </tr>
      ))}
    </Table>
  );
}

async function retry({ kind, key }: Job): Promise<void> {
  const path = { job_kind: kind, job: key };
  await workspace.request("POST", "/api/admin/jobs/{job_kind}/{job}/retry", { path });
  changed();
}

async function retryAll(kind: string): Promise<void> {
  await workspace.request("POST", "/api/admin/jobs/{job_kind}/retry", { path: { job_kind: kind } });
  changed();
}

async function drop({ kind, key }: Job): Promise<void> {
  const path = { job_kind: kind, job: key };
  await workspace.request("DELETE", "/api/admin/jobs/{job_kind}/{job}", { path });
  changed();
}

function changed(): void {
  stale(adminKeys.jobs, adminKeys.trail, adminKeys.events);
}
