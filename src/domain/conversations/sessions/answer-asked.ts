import { answerApproval, type Answer, type AnswerDeps } from "#src/domain/agent-work/approvals/index.ts";
import type { FinishDeps } from "#src/domain/agent-work/tasks/index.ts";
import type { Channel } from "#src/domain/messaging/channels/index.ts";
import { resumeProgress } from "#src/domain/messaging/progress/index.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { askedIn } from "./queries/sessions.ts";

/** An approval that a person answered in a channel. */
interface Answered {
  approvalId: string;
  /** Undefined where no answer could be made. */
  response: Answer["response"] | undefined;
  /** Why the answer did not count; undefined if it did. */
  refusal: AppError | undefined;
}

/**
 * Answers the first of these approvals that was asked in this very channel, as a person whose own rights decide. `answerTo` gives
 * the answer to it, and may throw a refusal. Undefined if none was asked there.
 */
export async function answerAsked(
  deps: FinishDeps & AnswerDeps,
  { id: channelId }: Channel,
  caller: UserCaller,
  {
    approvalIds,
    answerTo,
  }: { approvalIds: readonly string[]; answerTo: (approvalId: string) => Omit<Answer, "approvalId"> },
): Promise<Answered | undefined> {
  const asked = await askedIn(deps.db, { channelId, userId: caller.userId }, approvalIds);
  const approvalId = approvalIds.find((id) => asked.includes(id));
  if (approvalId === undefined) return undefined;
  let response: Answer["response"] | undefined;
  try {
    const answer = answerTo(approvalId);
    response = answer.response;
    const { taskId } = await answerApproval(deps, caller, { ...answer, approvalId });
    await resumeProgress(deps, taskId);
    return { approvalId, response, refusal: undefined };
  } catch (error) {
    if (!(error instanceof AppError) || error.retryable) throw error;
    return { approvalId, response, refusal: error };
  }
}
