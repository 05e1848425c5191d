import { useEffect, useState } from "preact/hooks";
import { navigate } from "wouter-preact/use-browser-location";
import { keys, reads, stale } from "../service/reads.ts";
import { heard } from "../service/task-notices.ts";
import { workspace } from "../service/workspace.ts";
import { openProjectLive, type ProjectLive } from "./project-live.ts";

/** When a project's state is read once more after it began to move; most have arrived by then, which no notice tells. */
export const SOON_MS = 3_000;

interface Shared {
  readonly live: ProjectLive;
  users: number;
  readonly close: () => void;
}

/** The connections of what is on the page, by project: its parts share one. */
const shared = new Map<string, Shared>();

/** The live connection of a project while a page of it is shown; undefined before the first paint. */
export function useProjectLive(project: string): ProjectLive | undefined {
  const [live, setLive] = useState<ProjectLive>();
  useEffect(() => {
    const connection = shared.get(project) ?? connect(project);
    connection.users += 1;
    setLive(connection.live);
    return () => {
      connection.users -= 1;
      void left(connection);
      setLive(undefined);
    };
  }, [project]);
  return live;
}

/** Closes a connection that no part needs any more, once it has the answers to what was sent: a message, above all. */
async function left(connection: Shared): Promise<void> {
  if (connection.users > 0) return;
  await connection.live.answered();
  if (connection.users === 0) connection.close();
}

function connect(project: string): Shared {
  let arriving = 0;
  const readState = () => stale(keys.status(project), keys.containers(project));
  const live = openProjectLive(workspace, project, {
    turned(chatId, isEnd) {
      stale(keys.sidebar, keys.runs, keys.approvals);
      if (isEnd) stale(keys.messages(chatId), keys.credits);
    },
    heard(type, task) {
      const { author, chatId } = task;
      // What others began in a shared chat is not the person's to be told of.
      const me = reads.getQueryData<{ id: string }>(keys.me);
      if (author !== undefined && author["id"] !== me?.id) return;
      heard(type, task, () => navigate(`/app/projects/${project}/chats/${chatId}`));
    },
    moved() {
      readState();
      clearTimeout(arriving);
      arriving = setTimeout(readState, SOON_MS);
    },
    missed() {
      readState();
      stale(keys.sidebar, keys.runs, keys.approvals);
    },
  });
  const close = () => {
    if (shared.get(project)?.live === live) shared.delete(project);
    clearTimeout(arriving);
    live.close();
  };
  const connection = { live, users: 0, close };
  shared.set(project, connection);
  return connection;
}
