import { Route, Switch } from "wouter-preact";
import { useMayEdit } from "../../service/roles.ts";
import { SnapshotFile } from "./snapshot-file.tsx";
import { SnapshotPage } from "./snapshot-page.tsx";
import { SnapshotsPage } from "./snapshots-page.tsx";

/** The snapshots of a project: states of its files, to compare and to go back to. */
export function HistoryPage({ project }: { project: string }) {
  const at = `/projects/${project}/history`;
  const mayChange = useMayEdit(project) === true;
  return (
    <Switch>
      <Route path={at}>
        <SnapshotsPage project={project} mayChange={mayChange} />
      </Route>
      <Route path={`${at}/:hash`}>
        {({ hash }) => <SnapshotPage key={hash} project={project} hash={hash} mayChange={mayChange} />}
      </Route>
      <Route path={`${at}/:hash/file`}>
        {({ hash }) => <SnapshotFile key={hash} project={project} hash={hash} />}
      </Route>
      <Route>
        <p class="muted">This page does not exist.</p>
      </Route>
    </Switch>
  );
}
