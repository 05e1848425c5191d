import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { AskedInput, GivenAnswers } from "#src/wire/asked-input.ts";
import {
  cancelQuestions,
  settleApproval,
  upsertApproval,
  type Approval,
  type CallOfTask,
} from "./queries.ts";
import { openAnswers } from "./sealed-answers.ts";

/** A question of an MCP server during a call. */
interface ServerQuestion {
  taskId: string;
  iteration: number;
  callId: string;
  tool: string;
  /** Its number among the questions of the call, from 1. */
  question: number;
  asked: AskedInput;
}

/** What became of the question: still open, or answered. One that expired counts as cancelled. */
export type InputVerdict = { approval: Approval } & (
  | { kind: "open"; isNew: boolean }
  | { kind: "answered"; action: "accept" | "decline" | "cancel"; answers: GivenAnswers | null }
);

/**
 * Returns the answer to a server's question, and stores the question on the first call, open until `expires` or for
 * APPROVAL_EXPIRE_HOURS. Idempotent. A message that denied an approval
 * of the task cancels all later questions, too, since the message waits for the end of that task. Throws `InvalidToken` for answers that
 * no configured key opens.
 */
export async function requestInput(
  deps: { db: Db; secrets: Pick<Secrets, "decrypt">; config: { APPROVAL_EXPIRE_HOURS: number } },
  { asked, ...place }: ServerQuestion,
  expires?: Date,
): Promise<InputVerdict> {
  const expiresAt = expires ?? new Date(Date.now() + deps.config.APPROVAL_EXPIRE_HOURS * 3_600_000);
  const { server, message, url } = asked;
  // Clients that know no questions of servers show these as they show the arguments of a call.
  const parameters = { server, message, ...(url !== undefined && { url }) };
  const stored = { id: newId(), allowance: null, ...place, parameters, asked, expiresAt };
  const { approval: found, isNew, declined } = await upsertApproval(deps.db, stored);
  const approval =
    declined && found.response === null
      ? ((await settleApproval(deps.db, found.id, { response: "cancel", reason: declined.reason })) ?? found)
      : found;
  const { response, encryptedAnswers } = approval;
  if (response === "accept" || response === "decline")
    return {
      kind: "answered",
      approval,
      action: response,
      answers: await openAnswers(deps, encryptedAnswers),
    };
  if (response !== null || approval.expiresAt.getTime() <= Date.now())
    return { kind: "answered", approval, action: "cancel", answers: null };
  return { kind: "open", approval, isNew };
}

/** Cancels a question that nobody waits for any longer, unless it was answered. */
export async function withdrawInput(deps: { db: Db }, { id }: Pick<Approval, "id">): Promise<void> {
  await settleApproval(deps.db, id, { response: "cancel", reason: null });
}

/** Cancels the open questions of a call that is over, and returns them. */
export async function withdrawInputs(deps: { db: Db }, call: CallOfTask): Promise<Pick<Approval, "id">[]> {
  return cancelQuestions(deps.db, call);
}
