import { asMember, authorize, type Caller } from "#src/domain/access/permissions/index.ts";
import { viewerOf } from "#src/domain/workspaces/projects/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { approvalWithRole, type Approval } from "./queries.ts";

/** An approval, and where it was asked for. */
export interface OpenedApproval {
  approval: Approval;
  chatId: string;
  projectId: string;
}

/**
 * Returns an approval with the complete call, for callers who may write in the project's chats. It stays readable after it
 * was answered. Throws `not_found` for an approval that the caller cannot see, and `forbidden` when the role or the key
 * does not suffice. An administrator of the installation sees what a member does: a question is part of a private chat.
 */
export async function readApproval(deps: { db: Db }, caller: Caller, id: string): Promise<OpenedApproval> {
  const [row] = isId(id) ? await approvalWithRole(deps.db, id, viewerOf(asMember(caller))) : [];
  if (!row) throw new AppError("not_found", "Approval not found");
  authorize(caller, "chat.send", { role: row.role, projectId: row.project.id }, "Approval not found");
  return { approval: row.approval, chatId: row.task.chatId, projectId: row.project.id };
}
