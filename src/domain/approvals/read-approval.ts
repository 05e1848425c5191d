import { requireKeyProject, requireKeyScope, roleGrants, type Caller } from "#src/domain/access/index.ts";
import { somebodyOf } from "#src/domain/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { approvalWithRole, type Approval } from "./queries.ts";

/**
 * A question with the whole call that it is about, for everybody who may write in the project's chats, also after it was answered.
 * Throws `not_found` for a question that is not there for the caller, `forbidden` where the role or the key is too low.
 */
export async function readApproval(
  deps: { db: Db },
  caller: Caller,
  id: string,
): Promise<{ approval: Approval; chatId: string }> {
  const [row] = isId(id) ? await approvalWithRole(deps.db, id, somebodyOf(caller)) : [];
  if (!row?.role || (caller.kind === "key" && caller.teamId !== row.project.teamId)) {
    throw new AppError("not_found", "Approval not found");
  }
  requireKeyProject(caller, row.project.id);
  if (caller.kind === "key") requireKeyScope(caller, "chat.send");
  if (!roleGrants(row.role, "chat.send")) {
    throw new AppError("forbidden", `Role '${row.role}' does not have permission 'chat.send'`);
  }
  return { approval: row.approval, chatId: row.task.chatId };
}
