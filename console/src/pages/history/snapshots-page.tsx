import type { api } from "@agent-workspace/client";
import { History } from "lucide-preact";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { bytes } from "../../parts/bytes.ts";
import { Empty } from "../../parts/empty.tsx";
import { textOf } from "../../parts/form-text.ts";
import { Heading } from "../../parts/heading.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { plural } from "../../parts/numbers.ts";
import { WhenAwake } from "../../parts/project/when-awake.tsx";
import { Refused } from "../../parts/refused.tsx";
import { snapshotsKey, useSnapshots } from "../../parts/snapshots/use-snapshots.ts";
import { useAction } from "../../parts/use-action.ts";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { titleOf, WHY } from "./words.ts";

const PAGE = 25;

/** The list of a project's snapshots. */
export function SnapshotsPage({ project, mayChange }: { project: string; mayChange: boolean }) {
  const [page, setPage] = useState(0);
  return (
    <>
      <Heading>History</Heading>
      <p class="muted">
        A snapshot keeps all files as they are. One is taken before each task of an agent, before a restore,
        and when the project falls asleep.
      </p>
      {mayChange && (
        <WhenAwake project={project} needs="files" purpose="Wake it to take a snapshot.">
          <Make project={project} onMade={() => setPage(0)} />
        </WhenAwake>
      )}
      <Loaded of={useSnapshots(project)}>
        {({ snapshots }) => {
          const pages = Math.max(1, Math.ceil(snapshots.length / PAGE));
          const now = Math.min(page, pages - 1);
          return (
            <>
              {snapshots.length === 0 && (
                <Empty icon={History} title="No snapshots yet">
                  Compare the files with a snapshot, or go back to it.{" "}
                  {mayChange ? "Take one above, or give the agent a task." : "An editor can take one."}
                </Empty>
              )}
              <ul class="list" aria-label="Snapshots">
                {snapshots.slice(now * PAGE, (now + 1) * PAGE).map((snapshot) => (
                  <Line key={snapshot.hash} project={project} snapshot={snapshot} />
                ))}
              </ul>
              {pages > 1 && (
                <div class="row">
                  <button type="button" disabled={now === 0} onClick={() => setPage(now - 1)}>
                    Newer
                  </button>
                  <span class="muted small">
                    Page {now + 1} of {pages}
                  </span>
                  <button type="button" disabled={now === pages - 1} onClick={() => setPage(now + 1)}>
                    Older
                  </button>
                </div>
              )}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function Line({ project, snapshot }: { project: string; snapshot: api.Snapshot }) {
  const { hash, role, ts, file_count, total_bytes, task_id } = snapshot;
  return (
    <li>
      <Link href={`/projects/${project}/history/${hash}`}>{titleOf(snapshot)}</Link>
      <span class="muted small">
        {WHY[role]} · <Moment at={ts} /> · {plural(file_count, "file")} · {bytes(total_bytes)}
      </span>
      {task_id !== null && <Link href={`/runs/${task_id}`}>Open task</Link>}
    </li>
  );
}

function Make({ project, onMade }: { project: string; onMade: () => void }) {
  const { run, isBusy, error } = useAction(async (form: HTMLFormElement) => {
    const label = textOf(new FormData(form), "label");
    await workspace.snapshots.create(project, { label }, { timeoutMs: 120_000 });
    form.reset();
    stale(snapshotsKey(project));
    onMade();
  });
  return (
    <form
      class="form narrow"
      onSubmit={(event) => {
        event.preventDefault();
        run(event.currentTarget);
      }}
    >
      <div class="field">
        <label for="label">Note</label>
        <input id="label" name="label" maxLength={200} autocomplete="off" placeholder="Before the redesign" />
      </div>
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy}>
          Take snapshot
        </button>
        <span role="status">{isBusy && "Working…"}</span>
      </div>
      {error !== undefined && <Refused error={error} />}
    </form>
  );
}
