import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { Loaded } from "../../parts/loaded.tsx";
import { SnapshotChanges } from "../../parts/snapshots/snapshot-changes.tsx";
import { UndoAll, UndoFile } from "../../parts/snapshots/undo-changes.tsx";
import { useMayEdit } from "../../service/roles.ts";
import { useSnapshots } from "../../parts/snapshots/use-snapshots.ts";

/** Runs that can be chosen. */
const MAX_RUNS = 50;

/** What has changed since a task of an agent began, or the newest: it makes a snapshot before it changes files. */
export function SinceRun({ project, task }: { project: string; task?: string | undefined }) {
  const [chosen, setChosen] = useState<string>();
  const mayChange = useMayEdit(project) === true;
  return (
    <Loaded of={useSnapshots(project)}>
      {({ snapshots }) => {
        const runs = snapshots.filter(({ role }) => role === "agent").slice(0, MAX_RUNS);
        const asked = snapshots.findLast(({ task_id }) => task !== undefined && task_id === task);
        if (task !== undefined && chosen === undefined && !asked) {
          return <p class="muted">The snapshot from before this task is no longer kept.</p>;
        }
        const run = runs.find(({ hash }) => hash === chosen) ?? asked ?? runs[0];
        if (!run) return <p class="muted">No agent has changed files in this project yet.</p>;
        return (
          <>
            <div class="row">
              <label for="run">Task</label>
              <select
                id="run"
                value={run.hash}
                onChange={({ currentTarget }) => setChosen(currentTarget.value)}
              >
                {runs.map(({ hash, ts, label }, index) => (
                  <option key={hash} value={hash}>
                    {index === 0 ? "Latest, " : ""}
                    {new Date(ts).toLocaleString()}
                    {label !== "" && `: ${label}`}
                  </option>
                ))}
              </select>
              {run.task_id !== null && <Link href={`/runs/${run.task_id}`}>Open task</Link>}
              {mayChange && <UndoAll key={run.hash} project={project} hash={run.hash} />}
            </div>
            <SnapshotChanges
              key={run.hash}
              project={project}
              hash={run.hash}
              since="this task began"
              more={
                mayChange
                  ? (path, isInSnapshot) => (
                      <UndoFile project={project} hash={run.hash} path={path} isInSnapshot={isInSnapshot} />
                    )
                  : undefined
              }
            />
          </>
        );
      }}
    </Loaded>
  );
}
