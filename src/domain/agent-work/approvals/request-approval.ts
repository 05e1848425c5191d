import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { responseOf } from "./answer-approval.ts";
import { settleApproval, upsertApproval, type Approval } from "./queries.ts";

/** A dangerous call that needs an approval. */
export interface DangerousCall {
  taskId: string;
  iteration: number;
  callId: string;
  tool: string;
  /** What an answer for the whole chat allows; the tool by its name without one. */
  allowance?: string | null;
  /** The call's whole arguments, with marks in place of stored secrets. */
  parameters: Record<string, unknown>;
}

export type Verdict = { approval: Approval } & (
  | { kind: "allowed" }
  /** A person denied the call, or the approval expired; with advice for the model, and who denied it. */
  | { kind: "refused"; reason: string; advice: string; by: string | null }
  /** The approval is pending; `isNew` when this call created it. */
  | { kind: "open"; isNew: boolean }
);

/**
 * Returns the answer to a call's approval, and creates the approval on the first call. Idempotent. `isToolAllowed` says
 * that the tool has been allowed for the whole chat, so that no answer is needed. A message that denied one approval of a
 * task also denies all later ones, since the message waits for the end of that task.
 */
export async function requestApproval(
  deps: { db: Db; config: { APPROVAL_EXPIRE_HOURS: number } },
  call: DangerousCall,
  isToolAllowed: boolean,
): Promise<Verdict> {
  const expiresAt = new Date(Date.now() + deps.config.APPROVAL_EXPIRE_HOURS * 3_600_000);
  const upserted = await upsertApproval(deps.db, {
    id: newId(),
    question: 0,
    asked: null,
    allowance: null,
    ...call,
    expiresAt,
  });
  const { approval: found, answeredBy: by, isNew, declined } = upserted;
  const settled = declined
    ? ({ response: "stop", reason: declined.reason } as const)
    : isToolAllowed && ({ response: "allow_all", reason: null } as const);
  const approval =
    settled && found.response === null
      ? ((await settleApproval(deps.db, found.id, settled)) ?? found)
      : found;
  if (responseOf(approval) === "stop") return { kind: "refused", approval, ...wordsOf(approval), by };
  if (approval.response !== null) return { kind: "allowed", approval };
  if (approval.expiresAt.getTime() <= Date.now()) {
    return {
      kind: "refused",
      approval,
      reason: "The approval of this call expired without an answer.",
      advice: EXPLAIN,
      by: null,
    };
  }
  return { kind: "open", approval, isNew };
}

const EXPLAIN = "Do not try it again in another way: explain what you wanted to do, or ask.";

function wordsOf({ response, reason }: Approval): { reason: string; advice: string } {
  const no = "The user did not approve this call";
  if (reason === null) return { reason: `${no}.`, advice: EXPLAIN };
  if (response === "stop_because") {
    return {
      reason: `${no}. Their reason: ${reason}`,
      advice: "Do what the reason asks for. Do not make the same call again.",
    };
  }
  return {
    reason: `${no}. They wrote instead: ${reason}`,
    advice:
      "That message is the next one you are given: end this work now, and say in a sentence where it stands.",
  };
}
