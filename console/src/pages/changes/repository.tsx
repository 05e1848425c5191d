import type { api } from "@agent-workspace/client";
import { useState } from "preact/hooks";
import { plural } from "../../parts/numbers.ts";
import { Branches } from "./branches.tsx";
import { ChangedFiles } from "./changed-files.tsx";
import { Commit } from "./commit.tsx";
import { Exchange } from "./exchange.tsx";
import { Log } from "./log.tsx";

interface RepositoryProps {
  project: string;
  status: api.GitStatus;
  mayChange: boolean;
}

/** How far a branch is from the one at the remote, in words. */
function distanceFrom(remote: string, { ahead, behind }: RepositoryProps["status"]): string {
  const ways = [
    ...(ahead > 0 ? [`${plural(ahead, "commit")} ahead of`] : []),
    ...(behind > 0 ? [`${plural(behind, "commit")} behind`] : []),
  ];
  return `${ways.join(" and ") || "up to date with"} ${remote}`;
}

/** The git repository of a project: its branch, what changed, and its log. */
export function Repository({ project, status, mayChange }: RepositoryProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { changes } = status;
  // A file that was committed meanwhile is no longer chosen.
  const paths = [...new Set(changes.map(({ file_path }) => file_path))].filter((path) => chosen.has(path));
  return (
    <>
      <p>
        On <strong>{status.branch ?? "no branch"}</strong>
        {status.remote_branch !== null && <> · {distanceFrom(status.remote_branch, status)}</>}
      </p>
      {status.has_conflicts && (
        <p class="notice bad" role="alert">
          Files have conflicts. Edit them, then stage them.
        </p>
      )}
      {mayChange && <Exchange project={project} />}
      <Branches project={project} mayChange={mayChange} />
      <h2>Changed files</h2>
      <ChangedFiles
        project={project}
        changes={changes}
        mayChange={mayChange}
        chosen={chosen}
        onChosen={setChosen}
      />
      {mayChange && changes.length > 0 && (
        <Commit
          project={project}
          chosen={paths}
          stagedCount={status.staged_count}
          onDone={() => setChosen(new Set())}
        />
      )}
      <h2>Log</h2>
      <Log project={project} mayChange={mayChange} />
    </>
  );
}
