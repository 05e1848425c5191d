import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { allowApproval, upsertApproval, type Approval } from "./queries.ts";

/** A dangerous call that needs somebody's word. */
export interface DangerousCall {
  taskId: string;
  iteration: number;
  callId: string;
  tool: string;
  /** The call's whole arguments, with marks in place of stored secrets. */
  parameters: Record<string, unknown>;
}

export type Verdict = { approval: Approval } & (
  | { kind: "allowed" }
  /** Somebody said no, or nobody said anything in time. */
  | { kind: "refused"; reason: string }
  /** Nobody has answered; `isNew` when the question was put this moment. */
  | { kind: "open"; isNew: boolean }
);

/**
 * What somebody said to a call. The first time it is asked the question is put; safe to repeat. `isToolAllowed` says that the
 * tool was allowed for the chat meanwhile: then nobody need answer any more.
 */
export async function requestApproval(
  deps: { db: Db; config: { APPROVAL_EXPIRE_HOURS: number } },
  call: DangerousCall,
  isToolAllowed: boolean,
): Promise<Verdict> {
  const expiresAt = new Date(Date.now() + deps.config.APPROVAL_EXPIRE_HOURS * 3_600_000);
  const { approval: found, isNew } = await upsertApproval(deps.db, { id: newId(), ...call, expiresAt });
  const approval =
    isToolAllowed && found.response === null ? ((await allowApproval(deps.db, found.id)) ?? found) : found;
  if (approval.response === "stop") {
    return { kind: "refused", approval, reason: "The user did not approve this call." };
  }
  if (approval.response !== null) return { kind: "allowed", approval };
  if (approval.expiresAt.getTime() <= Date.now()) {
    return { kind: "refused", approval, reason: "Nobody answered whether this call may run." };
  }
  return { kind: "open", approval, isNew };
}
