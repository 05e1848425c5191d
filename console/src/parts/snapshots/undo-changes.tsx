import { useState } from "preact/hooks";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import { Question } from "../ask-first.tsx";
import { nameOf } from "../files/paths.ts";
import { shownPath } from "../shown-path.ts";
import { toast } from "../toast.tsx";
import { snapshotsKey } from "./use-snapshots.ts";

const SLOW = { timeoutMs: 120_000 };

interface UndoProps {
  project: string;
  /** The snapshot from before the changes. */
  hash: string;
}

/** Brings one file back to a snapshot, or deletes it where it was not there. The files until then are a snapshot of their own. */
export function UndoFile({
  project,
  hash,
  path,
  isInSnapshot,
}: UndoProps & { path: string; isInSnapshot: boolean }) {
  const undo = async () => {
    await workspace.snapshots.create(
      project,
      { label: `Before undoing ${nameOf(path)}`.slice(0, 200) },
      SLOW,
    );
    if (isInSnapshot) await bringBack(project, hash, path);
    else await workspace.files.delete(project, path);
    changed(project);
    toast(`${nameOf(path)} is as it was before.`);
  };
  return (
    <Undo label="Undo this file…" title={`Undo the changes of ${shownPath(nameOf(path))}?`} work={undo}>
      {isInSnapshot
        ? "The file goes back to how it was before this task."
        : "The file was not there before this task: it is deleted."}
    </Undo>
  );
}

/** Brings all files back to a snapshot. */
export function UndoAll({ project, hash }: UndoProps) {
  const undo = async () => {
    await workspace.snapshots.restore(project, hash, SLOW);
    changed(project);
    toast("The files are as they were before.");
  };
  return (
    <Undo label="Undo all…" title="Undo all changes since this task began?" work={undo}>
      Every file goes back to how it was before this task, also files that people changed since.
    </Undo>
  );
}

function Undo({
  label,
  title,
  work,
  children,
}: {
  label: string;
  title: string;
  work: () => Promise<unknown>;
  children: string;
}) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        {label}
      </button>
      {isAsking && (
        <Question title={title} confirm="Undo" work={work} onClosed={() => setAsking(false)}>
          <p>{children} The current files are kept as a snapshot, so you can go back.</p>
        </Question>
      )}
    </>
  );
}

async function bringBack(project: string, hash: string, path: string): Promise<void> {
  const response = await workspace.response("GET", "/api/projects/{project}/snapshots/{hash}/file", {
    path: { project, hash },
    query: { path },
  });
  await workspace.files.write(project, path, await response.arrayBuffer());
}

function changed(project: string): void {
  stale(snapshotsKey(project), ["files", project], ["git", project]);
}
