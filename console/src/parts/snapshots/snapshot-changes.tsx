import type { api } from "@agent-workspace/client";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { bytes } from "../bytes.ts";
import { UnifiedDiff } from "../diff/unified-diff.tsx";
import { Loaded } from "../loaded.tsx";
import { plural } from "../numbers.ts";
import { shownPath } from "../shown-path.ts";
import { useSnapshotDiff, useSnapshotFileDiff } from "./use-snapshots.ts";

/** Changes on the page at once, before a person asks for more. */
const PAGE = 100;

interface SnapshotChangesProps {
  project: string;
  hash: string;
  /** What the snapshot is of, where that is more than a snapshot. */
  since?: string;
  /** What stands below the difference of a file. */
  more?: ((path: string, isInSnapshot: boolean) => ComponentChildren) | undefined;
}

/** What has changed in the files of a project since a snapshot; the difference of a file is read when it is opened. */
export function SnapshotChanges({ project, hash, since = "this snapshot", more }: SnapshotChangesProps) {
  const diff = useSnapshotDiff(project, hash);
  const [limit, setLimit] = useState(PAGE);
  return (
    <Loaded of={diff}>
      {({ files, total, truncated }) => (
        <>
          <p class="muted" role="status">
            {total === 0
              ? `No changes since ${since}.`
              : `${plural(total, "file has", "files have")} changed since ${since}.`}
            {truncated && ` The first ${files.length} are listed.`}
          </p>
          {files.slice(0, limit).map((change) => (
            <ChangedFile key={change.path} project={project} hash={hash} change={change} more={more} />
          ))}
          {files.length > limit && (
            <button type="button" onClick={() => setLimit(limit + PAGE)}>
              Show {plural(files.length - limit, "more file", "more files")}
            </button>
          )}
        </>
      )}
    </Loaded>
  );
}

function ChangedFile({ project, hash, change, more }: SnapshotChangesProps & { change: api.SnapshotChange }) {
  const [isOpen, setOpen] = useState(false);
  const { path, size, size_before, certain } = change;
  const sizes = [size_before, size].map((count) => (count === null ? "–" : bytes(count)));
  return (
    <details class="tool" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span class="small change">{certain ? change.change : "maybe changed"}</span>
        <span class="target">{shownPath(path)}</span>
        <span class="muted small">{sizes.join(" → ")}</span>
      </summary>
      {isOpen && (
        <>
          <FileDiff project={project} hash={hash} path={path} />
          {more?.(path, size_before !== null)}
        </>
      )}
    </details>
  );
}

function FileDiff({ project, hash, path }: { project: string; hash: string; path: string }) {
  return (
    <Loaded of={useSnapshotFileDiff(project, hash, path)}>
      {({ diff, diff_omitted }) =>
        diff ? (
          <UnifiedDiff text={diff} />
        ) : (
          <p class="muted">
            {diff_omitted === "binary"
              ? "Not a text file, so lines cannot be compared."
              : diff_omitted === "too_large"
                ? "Too large to compare here."
                : "The text is the same."}
          </p>
        )
      }
    </Loaded>
  );
}
