import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { Question } from "../../parts/ask-first.tsx";
import { Moment } from "../../parts/moment.tsx";
import { WhenAwake } from "../../parts/project/when-awake.tsx";
import { SnapshotChanges } from "../../parts/snapshots/snapshot-changes.tsx";
import { snapshotsKey, useSnapshots } from "../../parts/snapshots/use-snapshots.ts";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { fileAddress } from "./snapshot-file.tsx";
import { titleOf, WHY } from "./words.ts";

interface SnapshotPageProps {
  project: string;
  hash: string;
  mayChange: boolean;
}

/** One snapshot, compared with the files as they are now. */
export function SnapshotPage({ project, hash, mayChange }: SnapshotPageProps) {
  const { data } = useSnapshots(project);
  const [isAsked, setAsked] = useState(false);
  const [isDone, setDone] = useState(false);
  const snapshot = data?.snapshots.find((each) => each.hash === hash);
  const restore = async () => {
    await workspace.snapshots.restore(project, hash, { timeoutMs: 120_000 });
    stale(snapshotsKey(project), ["files", project], ["git", project]);
    setDone(true);
  };
  return (
    <>
      <h1>{snapshot ? titleOf(snapshot) : "Snapshot"}</h1>
      <p class="muted">
        {snapshot && (
          <>
            Made {WHY[snapshot.role]} · <Moment at={snapshot.ts} /> · {snapshot.file_count} files ·{" "}
          </>
        )}
        <Link href={`/projects/${project}/history`}>All snapshots</Link>
      </p>
      {isDone && (
        <p class="notice" role="status">
          The files of the project are those of this snapshot now.
        </p>
      )}
      <WhenAwake project={project} needs="files" purpose="Wake it to compare and to restore them.">
        {mayChange && (
          <div class="row">
            <button type="button" onClick={() => setAsked(true)}>
              Restore …
            </button>
          </div>
        )}
        <h2>Since then</h2>
        <SnapshotChanges
          project={project}
          hash={hash}
          more={(path, isInSnapshot) =>
            isInSnapshot && (
              <p>
                <Link href={fileAddress(project, hash, path)}>See it as it was</Link>
              </p>
            )
          }
        />
      </WhenAwake>
      {isAsked && (
        <Question
          title="Restore this snapshot?"
          confirm="Restore"
          work={restore}
          onClosed={() => setAsked(false)}
        >
          <p>
            All files of the project become those of the snapshot: what was made since is gone from them. The
            files as they are now are kept as a new snapshot first, so you can come back.
          </p>
        </Question>
      )}
    </>
  );
}
