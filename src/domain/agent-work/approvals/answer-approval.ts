import { asMember, authorize, type UserCaller } from "#src/domain/access/permissions/index.ts";
import { viewerOf } from "#src/domain/workspaces/projects/index.ts";
import { goOn } from "#src/domain/agent-work/tasks/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { isId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { TaskLogs } from "#src/platform/objects/task-logs.ts";
import type { Queue } from "#src/platform/queue/queue.ts";
import { answerApprovalRow, approvalWithRole, type Approval, type ApprovalResponse } from "./queries.ts";

/** Refusal of an API key that answers an approval: see docs/decisions/0017-approvals.md. */
export const PEOPLE_ANSWER = "Only people may answer an approval: API keys cannot";

/** What a person answers; a denial may have a reason, which the model reads. */
export interface Answer {
  approvalId: string;
  response: ApprovalResponse;
  reason?: string | undefined;
}

/**
 * Records a person's answer to an approval and resumes the task, whose id is returned, through the queue. Any person who may write in the
 * project's chats can answer. Idempotent. Throws `not_found` for an approval that the caller cannot see, `forbidden` when
 * the role does not suffice, and `conflict` when the approval has another answer or is no longer pending.
 */
export async function answerApproval(
  deps: { db: Db; taskLogs: TaskLogs; queue: Queue },
  caller: UserCaller,
  answer: Answer,
): Promise<{ taskId: string }> {
  const { approvalId: id, response } = answer;
  const reason = (response === "stop" && answer.reason?.trim()) || null;
  const find = async () =>
    isId(id) ? (await approvalWithRole(deps.db, id, viewerOf(asMember(caller))))[0] : undefined;
  const row = await find();
  if (!row) throw new AppError("not_found", "Approval not found");
  authorize(caller, "chat.send", { role: row.role, projectId: row.project.id }, "Approval not found");
  if (!(await answerApprovalRow(deps.db, { id, response, reason, userId: caller.userId }))) {
    const given = responseOf((await find())?.approval);
    if (given !== response) {
      throw new AppError(
        "conflict",
        given ? `This approval was already answered: ${given}` : "This approval is no longer pending",
      );
    }
  }
  const { taskId } = row.approval;
  await goOn(deps, { id: taskId, userId: row.task.userId });
  return { taskId };
}

/** The answer that was given to an approval; null while there is none. */
export function responseOf(approval: Pick<Approval, "response"> | undefined): ApprovalResponse | null {
  const response = approval?.response ?? null;
  return response === "stop_because" ? "stop" : response;
}
