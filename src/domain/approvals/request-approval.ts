import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import { upsertApproval, type Approval } from "./queries.ts";

/** A dangerous call that needs somebody's word. */
export interface DangerousCall {
  taskId: string;
  iteration: number;
  callId: string;
  tool: string;
  /** As people are shown them: bounded and scrubbed. */
  parameters: Record<string, unknown>;
}

export type Verdict =
  | { kind: "allowed" }
  /** Somebody said no, or nobody said anything in time. */
  | { kind: "refused"; reason: string }
  /** Nobody has answered; `isNew` when the question was put this moment. */
  | { kind: "open"; approval: Approval; isNew: boolean };

/** What somebody said to a call. The first time it is asked the question is put; safe to repeat. */
export async function requestApproval(
  deps: { db: Db; config: { APPROVAL_EXPIRE_HOURS: number } },
  call: DangerousCall,
): Promise<Verdict> {
  const expiresAt = new Date(Date.now() + deps.config.APPROVAL_EXPIRE_HOURS * 3_600_000);
  const { approval, isNew } = await upsertApproval(deps.db, { id: newId(), ...call, expiresAt });
  if (approval.response === "stop") return { kind: "refused", reason: "The user did not approve this call." };
  if (approval.response !== null) return { kind: "allowed" };
  if (approval.expiresAt.getTime() <= Date.now()) {
    return { kind: "refused", reason: "Nobody answered whether this call may run." };
  }
  return { kind: "open", approval, isNew };
}
