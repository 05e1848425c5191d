import { visible, type ApprovalResponse, type ConversationApproval } from "@agent-workspace/client";
import { Refused } from "../refused.tsx";
import { useAction } from "../use-action.ts";
import { CallArguments } from "./tool-line.tsx";
import { targetOf, verbOf } from "./tool-words.ts";

/** What is shown of an approval, wherever it was read. */
export type Question = Pick<ConversationApproval, "approvalId" | "tool" | "args" | "state" | "reason">;

/** A question of the agent, with the exact call that waits. */
export function ApprovalCard({
  approval,
  answer,
}: {
  approval: Question;
  answer: (approvalId: string, response: ApprovalResponse) => Promise<unknown>;
}) {
  const { approvalId, tool, args, state, reason } = approval;
  const { run, isBusy, error } = useAction(answer);
  if (state !== "open") {
    return (
      <p class="muted small">
        {state === "allowed" ? "Allowed" : "Denied"}: {verbOf(tool)} {targetOf(args)}
        {reason !== undefined && ` (${visible(reason)})`}
      </p>
    );
  }
  const say = (response: ApprovalResponse) => () => run(approvalId, response);
  return (
    <section class="approval" aria-label="The agent asks">
      <h2>
        The agent asks: {verbOf(tool)} <code>{targetOf(args)}</code>
      </h2>
      <CallArguments tool={tool} args={args} />
      <div class="row">
        <button type="button" class="primary" disabled={isBusy} onClick={say("allow_once")}>
          Allow once
        </button>
        <button type="button" disabled={isBusy} onClick={say("allow_all")}>
          Allow for this chat
        </button>
        <button type="button" disabled={isBusy} onClick={say("stop")}>
          Deny
        </button>
      </div>
      {error !== undefined && <Refused error={error} />}
    </section>
  );
}
