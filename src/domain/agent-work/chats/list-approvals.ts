import type { Caller } from "#src/domain/organisations/access/index.ts";
import { openApprovals, type Approval } from "#src/domain/agent-work/approvals/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import type { Db } from "#src/platform/db/client.ts";

/**
 * Pending approvals of a project's agents, oldest first, for callers who may answer them. Throws as `requireProject` does.
 */
export async function listApprovals(
  deps: { db: Db },
  caller: Caller,
  project: string,
): Promise<{ approval: Approval; chatId: string }[]> {
  const { id } = await requireProject(deps, caller, project, "chat.send");
  return openApprovals(deps.db, { projectId: id, chatId: undefined });
}
