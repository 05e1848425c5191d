import type { ApprovalResponse, ConversationTask } from "@agent-workspace/client";
import { Component } from "preact";
import { ApprovalCard } from "../../parts/agent/approval-card.tsx";
import { Markdown } from "../../parts/markdown/markdown.tsx";
import { plural } from "../../parts/numbers.ts";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { workspace } from "../../service/workspace.ts";
import { Plan, stepsOfPlan, todosOf } from "./plan.tsx";
import { TurnList } from "./turns.tsx";

/** What a person may do about a task. They stay the same over its life. */
export interface TaskActions {
  readonly answer: (approvalId: string, response: ApprovalResponse) => Promise<unknown>;
  readonly cancel: (taskId: string) => Promise<unknown>;
}

/** A message and the work that followed from it. Rendered again only when the task has changed. */
export class TaskView extends Component<{ task: ConversationTask; actions: TaskActions }> {
  override shouldComponentUpdate({ task }: { task: ConversationTask }): boolean {
    return task !== this.props.task;
  }

  render() {
    const { task, actions } = this.props;
    const { taskId, message, status, waiting, turns, approvals, plan, creditsUsed, response, error } = task;
    const isSaid = turns.some(({ text }) => text !== "");
    return (
      <article class="task" aria-busy={status === "running"}>
        {message !== undefined && <p class="message">{message}</p>}
        <TurnList turns={turns} whole={(callId) => wholeCall(taskId, callId)} />
        {!isSaid && response !== undefined && response !== "" && <Markdown text={response} />}
        {plan && <Plan title="Plan" steps={stepsOfPlan(plan)} />}
        <Plan title="To do" steps={todosOf(turns) ?? []} />
        {approvals.map((approval) => (
          <ApprovalCard key={approval.approvalId} approval={approval} answer={actions.answer} />
        ))}
        {status === "queued" && <Queued reason={waiting} takeBack={() => actions.cancel(taskId)} />}
        <p class="muted small" role="status">
          {status === "running" &&
            (approvals.some(({ state }) => state === "open") ? "Needs your input" : "Working…")}
          {status === "cancelled" && "Stopped"}
          {creditsUsed > 0 && ` ${plural(creditsUsed, "credit")}`}
        </p>
        {error !== undefined && status === "failed" && (
          <p class="notice bad" role="alert">
            {error}
          </p>
        )}
      </article>
    );
  }
}

/** A message that waits for the ones before it. */
function Queued({ reason, takeBack }: { reason: string | undefined; takeBack: () => Promise<unknown> }) {
  const { run, isBusy, error } = useAction(takeBack);
  return (
    <>
      <div class="row">
        <span class="muted small" role="status">
          {reason ?? "Queued"}
        </span>
        <button type="button" disabled={isBusy} onClick={() => run()}>
          Cancel message
        </button>
      </div>
      {error !== undefined && <Refused error={error} />}
    </>
  );
}

/** A call of a task out of the step that has it whole. Its id in a history is `<iteration>.<index>`. */
async function wholeCall(task: string, callId: string) {
  const [step = "", index = ""] = callId.split(".");
  const { step_data } = await workspace.request("GET", "/api/chat/agent/steps/{task}/{step}", {
    path: { task, step: Number(step) },
  });
  const call = step_data.tool_calls[Number(index)];
  return { args: call?.parameters ?? {}, result: call?.result };
}
