import { asMember, type Caller } from "#src/domain/access/permissions/index.ts";
import {
  openApprovals,
  openApprovalsFor,
  type ApprovalPage,
  type OpenedApproval,
} from "#src/domain/agent-work/approvals/index.ts";
import { requireProject, viewerOf } from "#src/domain/workspaces/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/**
 * Pending approvals of a project's agents, oldest first, for callers who may answer them. Without a project, those of all
 * projects in which the caller may answer, in one query; at most `MOST_APPROVALS` unless the page says how many. Throws as
 * `requireProject` does.
 */
export async function listApprovals(
  deps: { db: Db },
  caller: Caller,
  project: string | undefined,
  page: ApprovalPage = {},
): Promise<OpenedApproval[]> {
  if (project === undefined) {
    const projectIds = caller.kind === "key" ? caller.projectIds : null;
    return openApprovalsFor(deps.db, viewerOf(asMember(caller)), projectIds, page);
  }
  const { id } = await requireProject(deps, asMember(caller), project, "chat.send");
  return openApprovals(deps.db, { projectId: id, chatId: undefined }, page);
}
