import { useEffect, useState } from "preact/hooks";
import { keys, stale } from "../service/reads.ts";
import { workspace } from "../service/workspace.ts";
import { openProjectLive, type ProjectLive } from "./project-live.ts";

/** When a project's state is read once more after it began to move; most have arrived by then, which no notice tells. */
export const SOON_MS = 3_000;

/** The connections of what is on the page, by project: its parts share one. */
const shared = new Map<string, { live: ProjectLive; users: number; close: () => void }>();

/** The live connection of a project while a page of it is shown; undefined before the first paint. */
export function useProjectLive(project: string): ProjectLive | undefined {
  const [live, setLive] = useState<ProjectLive>();
  useEffect(() => {
    const connection = shared.get(project) ?? connect(project);
    connection.users += 1;
    setLive(connection.live);
    return () => {
      connection.users -= 1;
      if (connection.users === 0) connection.close();
      setLive(undefined);
    };
  }, [project]);
  return live;
}

function connect(project: string) {
  let arriving = 0;
  const readState = () => stale(keys.status(project), keys.containers(project));
  const live = openProjectLive(workspace, project, {
    connected: () => stale(keys.histories),
    turned(chatId, isEnd) {
      stale(keys.sidebar, keys.runs, keys.approvals);
      if (isEnd) stale(keys.messages(chatId), keys.credits);
    },
    moved() {
      readState();
      clearTimeout(arriving);
      arriving = setTimeout(readState, SOON_MS);
    },
  });
  const close = () => {
    shared.delete(project);
    clearTimeout(arriving);
    live.close();
  };
  const connection = { live, users: 0, close };
  shared.set(project, connection);
  return connection;
}
