import type { api } from "@agent-workspace/client";
import { useState } from "preact/hooks";
import { UnifiedDiff } from "../../parts/diff/unified-diff.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { plural } from "../../parts/numbers.ts";
import { shownPath } from "../../parts/shown-path.ts";
import { useFileDiff } from "./reads.ts";

type Change = api.GitStatus["changes"][number];

const WORDS: Record<Change["status"], string> = {
  M: "modified",
  A: "added",
  D: "deleted",
  R: "renamed",
  U: "conflict",
  "??": "new",
};
/** Files on the page at once, before a person asks for more. */
const PAGE = 100;

interface ChangedFilesProps {
  project: string;
  changes: readonly Change[];
  mayChange: boolean;
  chosen: ReadonlySet<string>;
  onChosen: (paths: ReadonlySet<string>) => void;
}

/** The files that differ from the last commit. */
export function ChangedFiles({ project, changes, mayChange, chosen, onChosen }: ChangedFilesProps) {
  const [limit, setLimit] = useState(PAGE);
  if (changes.length === 0) return <p class="muted">No changes since the last commit.</p>;
  const choose = (path: string, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(path);
    else next.delete(path);
    onChosen(next);
  };
  return (
    <>
      <ul class="changed">
        {changes.slice(0, limit).map((change) => (
          <li key={`${change.file_path} ${change.staged}`}>
            {mayChange && (
              <input
                type="checkbox"
                aria-label={`Choose ${shownPath(change.file_path)}`}
                checked={chosen.has(change.file_path)}
                onChange={({ currentTarget }) => choose(change.file_path, currentTarget.checked)}
              />
            )}
            <ChangedFile project={project} change={change} />
          </li>
        ))}
      </ul>
      {changes.length > limit && (
        <button type="button" onClick={() => setLimit(limit + PAGE)}>
          Show {plural(changes.length - limit, "more file", "more files")}
        </button>
      )}
    </>
  );
}

function ChangedFile({ project, change }: { project: string; change: Change }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="tool" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span class="small change">{WORDS[change.status]}</span>
        <span class="target">{shownPath(change.file_path)}</span>
        {change.staged && <span class="small">staged</span>}
      </summary>
      {isOpen && <Diff project={project} path={change.file_path} />}
    </details>
  );
}

function Diff({ project, path }: { project: string; path: string }) {
  return (
    <Loaded of={useFileDiff(project, path)}>
      {({ diff, truncated }) => (
        <>
          {diff === "" ? <p class="muted">No lines to show.</p> : <UnifiedDiff text={diff} />}
          {truncated && <p class="muted small">The diff is cut at 1 MiB.</p>}
        </>
      )}
    </Loaded>
  );
}
