import { answerApproval, type ApprovalResponse } from "#src/domain/agent-work/approvals/index.ts";
import type { FinishDeps } from "#src/domain/agent-work/tasks/index.ts";
import type { Channel } from "#src/domain/messaging/channels/index.ts";
import { beginProgress } from "#src/domain/messaging/progress/index.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { askedIn } from "./queries/sessions.ts";

/** An approval that a person answered in a channel. */
interface Answered {
  approvalId: string;
  /** Why the answer did not count; undefined if it did. */
  refusal: AppError | undefined;
}

/**
 * Answers the first of these approvals that was asked in this very channel, as a person whose own rights decide. Undefined if
 * none was asked there.
 */
export async function answerAsked(
  deps: FinishDeps,
  { id: channelId }: Channel,
  caller: UserCaller,
  { approvalIds, response }: { approvalIds: readonly string[]; response: ApprovalResponse },
): Promise<Answered | undefined> {
  const asked = await askedIn(deps.db, { channelId, userId: caller.userId }, approvalIds);
  const approvalId = approvalIds.find((id) => asked.includes(id));
  if (approvalId === undefined) return undefined;
  try {
    const { taskId } = await answerApproval(deps, caller, { approvalId, response });
    await beginProgress(deps, taskId);
    return { approvalId, refusal: undefined };
  } catch (error) {
    if (!(error instanceof AppError) || error.retryable) throw error;
    return { approvalId, refusal: error };
  }
}
