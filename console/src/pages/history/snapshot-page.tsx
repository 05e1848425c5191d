import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { Question } from "../../parts/ask-first.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Moment } from "../../parts/moment.tsx";
import { plural } from "../../parts/numbers.ts";
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
      <Heading>{snapshot ? titleOf(snapshot) : "Snapshot"}</Heading>
      <p class="muted">
        {snapshot && (
          <>
            Taken {WHY[snapshot.role]} · <Moment at={snapshot.ts} /> · {plural(snapshot.file_count, "file")}{" "}
            ·{" "}
          </>
        )}
        <Link href={`/projects/${project}/history`}>All snapshots</Link>
      </p>
      {isDone && (
        <p class="notice" role="status">
          Restored. The project’s files are now those of this snapshot.
        </p>
      )}
      <WhenAwake project={project} needs="files" purpose="Wake it to compare and restore them.">
        {mayChange && (
          <div class="row">
            <button type="button" onClick={() => setAsked(true)}>
              Restore…
            </button>
          </div>
        )}
        <h2>Changes since</h2>
        <SnapshotChanges
          project={project}
          hash={hash}
          more={(path, isInSnapshot) =>
            isInSnapshot && (
              <p>
                <Link href={fileAddress(project, hash, path)}>Show this version</Link>
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
            All files of the project are replaced with those of the snapshot. The current files are kept as a
            new snapshot first, so you can undo this.
          </p>
        </Question>
      )}
    </>
  );
}
