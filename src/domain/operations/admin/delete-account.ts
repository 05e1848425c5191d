import { announceRemoval } from "#src/domain/workspaces/projects/index.ts";
import { cancelTask, type FinishDeps } from "#src/domain/agent-work/tasks/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { ProjectWorkspaces } from "#src/platform/runtime/project-workspaces.ts";
import { requireDone, type Administrator } from "./change-account.ts";
import { findAccount } from "./find-account.ts";
import { deleteAccountRow, projectsOfAccount } from "./queries.ts";

/**
 * Delete a person's account with its projects, chats, tasks and keys, noted in the trail of administrators. The rows go in
 * one transaction, then what is running and the files; the removal of files is announced before, as for a single project.
 * Throws `conflict` for oneself, for the last administrator and where others depend on the account: it made a team that
 * they are in, is the only administrator of one, or owns a project that they may see; `not_found`, `forbidden`.
 */
export async function deleteAccount(
  deps: FinishDeps & { workspaces: Pick<ProjectWorkspaces, "destroy">; log: Log },
  by: Administrator,
  userId: string,
): Promise<void> {
  const { user } = await findAccount(deps, userId);
  if (user.id === by.caller.userId) throw new AppError("conflict", "You cannot delete your own account");
  await announceRemoval(deps, await projectsOfAccount(deps.db, user.id));
  const { outcome, running } = await deleteAccountRow(deps.db, {
    adminId: by.caller.userId,
    userId: user.id,
    actionType: "account.deleted",
    reason: by.reason ?? null,
    details: { email: user.email, username: user.username },
    address: by.address,
  });
  requireDone(outcome);
  if (outcome?.shared) {
    throw new AppError(
      "conflict",
      "Other people depend on this account: it created their team, is the team's only administrator or owns a project that they can see. Disable the account instead",
    );
  }
  if (!outcome?.done) throw new AppError("not_found", "User not found");
  // The account is gone whatever happens now; executors and the announced second look find what is left over.
  const rest = [
    ...running.map((task) => cancelTask(deps, task)),
    ...outcome.projects.map((projectId) => deps.workspaces.destroy(projectId)),
  ];
  for (const { status, ...result } of await Promise.allSettled(rest)) {
    if (status === "rejected") deps.log.warn("a part of a deleted account is left over", result);
  }
}
