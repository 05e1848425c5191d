import type { Caller } from "#src/domain/organisations/access/index.ts";
import { deleteSnapshots } from "#src/domain/workspaces/archives/index.ts";
import { channelNotice, sendNotice, type MailDeps } from "#src/domain/operations/mail/index.ts";
import { endTask } from "#src/domain/operations/background-tasks/index.ts";
import type { Client } from "#src/lib/client.ts";
import { newId } from "#src/lib/ids.ts";
import type { ArchiveStore } from "#src/platform/archives/archive-store.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import type { Queue, QueueMessage } from "#src/platform/queue/queue.ts";
import { deleteProjectRow, endTasksOfGoneProject, projectExists, type Project } from "./queries/projects.ts";
import { requireProject } from "./require-project.ts";

/** Delay of the second pass: by then the request has deleted the row, or has failed. */
const SECOND_LOOK_SECONDS = 60;

interface Removal {
  db: Db;
  workspaces: Pick<ProjectWorkspaces, "destroy">;
  archives: ArchiveStore;
}

/**
 * Deletes a project and its contents. The row is deleted first: from then on no request can reach the files, so none is
 * written during their removal. A second pass, published before, removes the files if the request dies in between. The
 * background task ends when the files are removed. Other people whose channels end with the project are told by mail. Throws
 * as `requireProject` does.
 */
export async function deleteProject(
  deps: Removal & MailDeps,
  caller: Caller,
  idOrSlug: string,
  client?: Client,
): Promise<{ project: Project; taskId: string }> {
  const project = await requireProject(deps, caller, idOrSlug, "project.delete");
  await deps.queue.publish(secondLook(project.id));
  const taskId = newId();
  const ended = await deleteProjectRow(deps.db, project, { id: taskId, userId: caller.userId }, client);
  // Without the project's name, which another person chose.
  const text = "Its project was deleted: you can choose another project";
  await Promise.all(
    ended
      .filter(({ ownerId }) => ownerId !== caller.userId)
      .map(({ name, email }) => sendNotice(deps, email, channelNotice({ name, text }))),
  );
  try {
    await removeContents(deps, project.id);
    await endTask(deps.db, taskId, { status: "completed", result: { slug: project.slug } });
  } catch (error) {
    deps.log.warn("a deleted project's files are left to the second pass", {
      project_id: project.id,
      cause: error,
    });
  }
  return { project, taskId };
}

/** Publishes the second pass for projects whose rows are about to be deleted with a team or an account. */
export async function announceRemoval(
  deps: { queue: Pick<Queue, "publishBatch"> },
  projectIds: readonly string[],
): Promise<void> {
  await deps.queue.publishBatch(projectIds.map(secondLook));
}

function secondLook(projectId: string): QueueMessage {
  return { function: "destroy-workspace", payload: { projectId }, delaySeconds: SECOND_LOOK_SECONDS };
}

/** Removes the files of a deleted project; an existing project keeps them. Idempotent. */
export async function destroyWorkspace(deps: Removal, projectId: string): Promise<void> {
  const [row] = await projectExists(deps.db, projectId);
  if (row) return;
  await removeContents(deps, projectId);
  await endTasksOfGoneProject(deps.db, projectId);
}

async function removeContents(deps: Removal, projectId: string): Promise<void> {
  await deps.workspaces.destroy(projectId);
  await deleteSnapshots(deps, projectId);
}
