import { NotFoundError } from "@agent-workspace/client";
import { useEffect } from "preact/hooks";
import { Link, Route, Switch, useLocation } from "wouter-preact";
import { useProjectLive } from "../../live/use-project-live.ts";
import { Heading } from "../../parts/heading.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { paced } from "../../parts/paced.ts";
import { WhenAwake } from "../../parts/project/when-awake.tsx";
import { snapshotsKey } from "../../parts/snapshots/use-snapshots.ts";
import { useMayEdit } from "../../service/roles.ts";
import { reads } from "../../service/reads.ts";
import { Begin } from "./begin.tsx";
import { gitKey, useStatus } from "./reads.ts";
import { Repository } from "./repository.tsx";
import { SinceRun } from "./since-run.tsx";

/** While files change all the time, so long passes after each reading of the page. */
const READ_MS = 5_000;

/** What has changed in a project: since the last commit, and since a run of an agent began. */
export function ChangesPage({ project }: { project: string }) {
  return (
    <WhenAwake project={project} needs="files" title="Changes" purpose="Wake it to see its changes.">
      <Changes project={project} />
    </WhenAwake>
  );
}

function Changes({ project }: { project: string }) {
  const at = `/projects/${project}/changes`;
  const [location] = useLocation();
  useFollowFiles(project);
  return (
    <>
      <Heading>Changes</Heading>
      <nav class="row" aria-label="Changes">
        <Link href={at} className={(isHere) => (isHere ? "button chosen" : "button")}>
          Since the last commit
        </Link>
        <Link
          href={`${at}/run`}
          className={(isHere) => (isHere || location.startsWith(`${at}/run/`) ? "button chosen" : "button")}
        >
          Since a task began
        </Link>
      </nav>
      <Switch>
        <Route path={at}>
          <Git project={project} />
        </Route>
        <Route path={`${at}/run/:task?`}>
          {({ task }) => <SinceRun key={task} project={project} task={task} />}
        </Route>
        <Route>
          <p class="muted">This page does not exist.</p>
        </Route>
      </Switch>
    </>
  );
}

/** Reads anew what is shown when files have changed. */
function useFollowFiles(project: string): void {
  const live = useProjectLive(project);
  useEffect(() => {
    const names = [[...gitKey(project), "status"], [...gitKey(project), "diff"], snapshotsKey(project)];
    // A read that begins anew before it has ended would never end while files change all the time.
    const reading = paced(
      () => Promise.all(names.map((queryKey) => reads.invalidateQueries({ queryKey }))),
      READ_MS,
    );
    const leave = live?.onFiles(() => reading.ask());
    return () => {
      reading.end();
      leave?.();
    };
  }, [live]);
}

function Git({ project }: { project: string }) {
  const status = useStatus(project);
  const mayChange = useMayEdit(project) === true;
  // The project is there, as its state was read: what is not is its repository.
  if (status.error instanceof NotFoundError) {
    return (
      <>
        <p>This project has no git repository yet.</p>
        {mayChange && <Begin project={project} hasRepository={false} />}
      </>
    );
  }
  return (
    <Loaded of={status}>
      {(found) => <Repository project={project} status={found} mayChange={mayChange} />}
    </Loaded>
  );
}
