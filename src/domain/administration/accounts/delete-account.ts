import { workspaceLeft } from "#src/domain/workspaces/projects/index.ts";
import { cancelTask, type FinishDeps } from "#src/domain/agent-work/tasks/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Log } from "#src/platform/log/log.ts";
import { messageOf } from "#src/work/job.ts";
import { actionOf, requireDone, type Administrator } from "./change-account.ts";
import { findAccount } from "./find-account.ts";
import { deleteAccountRow } from "./queries/changes.ts";

/**
 * Deletes a person's account with its projects, chats, tasks and keys. Recorded in the trail of administrators. The
 * rows are deleted in one transaction, which stores the removal of the projects' files; then running tasks end. Throws `conflict` for the caller's own account, for the last
 * administrator, and if other people depend on the account because it created their team, is a team's only
 * administrator, or owns a project that they can see; `not_found`, `forbidden`.
 */
export async function deleteAccount(
  deps: FinishDeps & { log: Log },
  by: Administrator,
  userId: string,
): Promise<void> {
  const { user } = await findAccount(deps, userId);
  if (user.id === by.caller.userId) throw new AppError("conflict", "You cannot delete your own account");
  const details = { email: user.email, username: user.username };
  const action = actionOf(by, user.id, { actionType: "account.deleted", details });
  const { outcome, running } = await deleteAccountRow(deps.db, action);
  requireDone(outcome);
  if (outcome?.shared) {
    throw new AppError(
      "conflict",
      "Other people depend on this account: it created their team, is the team's only administrator or owns a project that they can see. Disable the account instead",
    );
  }
  if (outcome?.sold) {
    throw new AppError(
      "conflict",
      "Teams paid for agents or templates of this account and may still use them. Disable the account instead",
    );
  }
  if (!outcome?.done) throw new AppError("not_found", "User not found");
  // The account is deleted even if the rest fails; executors and the sweep of jobs clean up.
  const removals = outcome.projects.map((key) =>
    messageOf({ name: workspaceLeft.name, key }, { occasion: "stored" }),
  );
  const rest = [...running.map((task) => cancelTask(deps, task)), deps.queue.publishBatch(removals)];
  for (const { status, ...result } of await Promise.allSettled(rest)) {
    if (status === "rejected") deps.log.warn("a deleted account was not cleaned up completely", result);
  }
}
