import type { Caller } from "#src/domain/access/permissions/index.ts";
import { channelNotice, sendNotice, type MailDeps } from "#src/domain/operations/mail/index.ts";
import type { Client } from "#src/lib/client.ts";
import { newId } from "#src/lib/ids.ts";
import { executeJob } from "#src/work/execute.ts";
import { messageOf } from "#src/work/job.ts";
import { LEASE_SECONDS } from "#src/work/queries.ts";
import { destroyWorkspace, type RemovalDeps } from "./destroy-workspace.ts";
import { deleteProjectRow, type Project } from "./queries/projects.ts";
import { requireProject } from "./require-project.ts";
import { workspaceLeft } from "./workspace-left.ts";

/**
 * Deletes a project and its contents. Its row goes first, and with it every way to its files; if they cannot be removed at
 * once, their job is tried again. Other people whose channels end with the project are told by mail. Throws as
 * `requireProject` does.
 */
export async function deleteProject(
  deps: RemovalDeps & MailDeps,
  caller: Caller,
  idOrSlug: string,
  client?: Client,
): Promise<{ project: Project; taskId: string }> {
  const project = await requireProject(deps, caller, idOrSlug, "project.delete");
  const taskId = newId();
  const ended = await deleteProjectRow(deps.db, project, { id: taskId, userId: caller.userId }, client);
  // Without the project's name, which another person chose.
  const text = "Its project was deleted: you can choose another project";
  await Promise.all(
    ended
      .filter(({ ownerId }) => ownerId !== caller.userId)
      .map(({ name, email }) => sendNotice(deps, email, channelNotice({ name, text }))),
  );
  const { id: key } = project;
  // If this program dies, the queue has the rest done once the lease is over.
  const net = messageOf({ name: workspaceLeft.name, key }, { occasion: "left", delaySeconds: LEASE_SECONDS });
  const removal = [executeJob(deps, destroyWorkspace, key), deps.queue.publish(net)];
  for (const { status, ...result } of await Promise.allSettled(removal)) {
    if (status === "rejected")
      deps.log.warn("a deleted project's files are left to the sweep", { project_id: key, ...result });
  }
  return { project, taskId };
}
