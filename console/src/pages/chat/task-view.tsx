import type { ConversationTask } from "@agent-workspace/client";
import { Pencil } from "lucide-preact";
import { Component } from "preact";
import { useState } from "preact/hooks";
import { ApprovalCard, type Answer } from "../../parts/agent/approval-card.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Markdown } from "../../parts/markdown/markdown.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import { workspace } from "../../service/workspace.ts";
import { shownDetails, type TaskDetails } from "./details.ts";
import { EditedMessage, Message } from "./message.tsx";
import { Plan, stepsOfPlan, todosOf } from "./plan.tsx";
import { TaskEnd } from "./task-end.tsx";
import { TurnList } from "./turns.tsx";

/** What a person may do about a task. They stay the same over its life. */
export interface TaskActions {
  readonly answer: Answer;
  readonly cancel: (taskId: string) => Promise<unknown>;
  /** Undoes the newest message, and sends it with this text in its place. */
  readonly replace: (taskId: string, text: string, isForced: boolean) => Promise<unknown>;
  /** Puts a text where the next message is written. */
  readonly reuse: (text: string) => void;
}

interface TaskViewProps {
  task: ConversationTask;
  details: TaskDetails | undefined;
  actions: TaskActions;
  /** Whether the person may write, and whether this is the chat's newest task, and theirs. */
  mayWrite: boolean;
  isReplaceable: boolean;
  /** Who wrote the message, where that may be another person. */
  author: string | undefined;
}

/** A message and the work that followed from it. Rendered again only when the task has changed. */
export class TaskView extends Component<TaskViewProps> {
  override shouldComponentUpdate(next: TaskViewProps): boolean {
    const { task, details, mayWrite, isReplaceable, author } = this.props;
    return (
      next.task !== task ||
      next.details !== details ||
      next.mayWrite !== mayWrite ||
      next.isReplaceable !== isReplaceable ||
      next.author !== author
    );
  }

  render() {
    const { task, actions, mayWrite, author } = this.props;
    const { taskId, message, status, waiting, turns, approvals, plan, response, error } = task;
    const details = shownDetails(task, this.props.details);
    const isSaid = turns.some(({ text }) => text !== "");
    const isOver = status !== "running" && status !== "queued";
    const isReplaceable = mayWrite && this.props.isReplaceable && isOver && message !== undefined;
    return (
      <article class="task" aria-busy={status === "running"}>
        {message !== undefined && (
          <Asked
            text={message}
            author={author}
            details={details}
            replace={isReplaceable ? (text, isForced) => actions.replace(taskId, text, isForced) : undefined}
            reuse={mayWrite ? actions.reuse : undefined}
          />
        )}
        <TurnList turns={turns} approvals={approvals} whole={(callId) => wholeCall(taskId, callId)} />
        {!isSaid && response !== undefined && response !== "" && <Markdown text={response} />}
        {plan && <Plan title="Plan" steps={stepsOfPlan(plan)} />}
        <Plan title="To do" steps={todosOf(turns) ?? []} />
        {approvals
          .filter(({ state }) => state === "open")
          .map((approval) => (
            <ApprovalCard
              key={approval.approvalId}
              approval={approval}
              answer={mayWrite ? actions.answer : undefined}
            />
          ))}
        {status === "queued" && (
          <Queued reason={waiting} takeBack={mayWrite ? () => actions.cancel(taskId) : undefined} />
        )}
        <p class="muted small" role="status">
          {status === "running" &&
            (approvals.some(({ state }) => state === "open")
              ? mayWrite
                ? "Needs your input"
                : "Needs an editor’s input"
              : "Working…")}
          {status === "cancelled" && "Stopped"}
        </p>
        {error !== undefined && status === "failed" && (
          <p class="notice bad" role="alert" dir="auto">
            {error}
          </p>
        )}
        {isOver && (
          <TaskEnd
            task={task}
            details={details}
            retry={isReplaceable ? (isForced) => actions.replace(taskId, message, isForced) : undefined}
          />
        )}
      </article>
    );
  }
}

/** The message of a task. The newest one is replaced when it is edited; an older one is the draft of a new message. */
function Asked({
  text,
  author,
  details: { attachments, sentAt },
  replace,
  reuse,
}: {
  text: string;
  author: string | undefined;
  details: TaskDetails;
  replace: ((text: string, isForced: boolean) => Promise<unknown>) | undefined;
  reuse: ((text: string) => void) | undefined;
}) {
  const [isEdited, setEdited] = useState(false);
  if (isEdited && replace)
    return <EditedMessage text={text} replace={replace} close={() => setEdited(false)} />;
  const edit = replace ? () => setEdited(true) : reuse && (() => reuse(text));
  const label = replace ? "Edit message" : "Edit as a new message";
  return (
    <Message text={text} author={author} files={attachments}>
      <div class="message-bar">
        {sentAt !== undefined && (
          <span class="muted small">
            <Moment at={sentAt} />
          </span>
        )}
        <CopyButton text={text} label="Copy message" isIcon />
        {edit && (
          <button type="button" class="quiet icon-button" aria-label={label} title={label} onClick={edit}>
            <Icon of={Pencil} />
          </button>
        )}
      </div>
    </Message>
  );
}

/** A message that waits for the ones before it. */
function Queued({
  reason,
  takeBack,
}: {
  reason: string | undefined;
  /** Undefined where the person may not. */
  takeBack: (() => Promise<unknown>) | undefined;
}) {
  const { run, isBusy, error } = useAction(async () => takeBack?.());
  return (
    <>
      <div class="row">
        <span class="muted small" role="status">
          {reason ?? "Queued"}
        </span>
        {takeBack && (
          <button type="button" disabled={isBusy} onClick={() => run()}>
            Cancel message
          </button>
        )}
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
