import type { ConversationTask } from "@agent-workspace/client";
import { RotateCcw } from "lucide-preact";
import { useContext, useState } from "preact/hooks";
import { Question } from "../../parts/ask-first.tsx";
import { changedBy } from "../../parts/agent/line-counts.ts";
import { Counts } from "../../parts/agent/counts.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { FileOpener } from "../../parts/files/opener.ts";
import { Icon } from "../../parts/icon.tsx";
import { Moment } from "../../parts/moment.tsx";
import { plural } from "../../parts/numbers.ts";
import { useAction } from "../../parts/use-action.ts";
import type { TaskDetails } from "./details.ts";
import { Unreplaced } from "./message.tsx";

/** What a finished task ends with: its changes, and what can be done with its answer. */
export function TaskEnd({
  task,
  details,
  retry,
}: {
  task: ConversationTask;
  details: TaskDetails;
  /** Sends the message again in place of the answer; undefined where another message follows. */
  retry: ((isForced: boolean) => Promise<unknown>) | undefined;
}) {
  const { taskId, turns, status, response } = task;
  const answer = turns.findLast(({ text }) => text !== "")?.text ?? response ?? "";
  const { answeredAt, model, credits } = details;
  return (
    <>
      <ChangesOf task={task} />
      <div class="message-bar">
        {answer !== "" && <CopyButton text={answer} label="Copy answer" isIcon />}
        {retry && (
          <Retry isFailed={status === "failed"} changes={changedBy(turns) !== undefined} retry={retry} />
        )}
        <span class="facts-of-answer muted small" data-task={taskId}>
          {answeredAt !== undefined && <Moment at={answeredAt} />}
          {model !== undefined && <span>{model}</span>}
          {credits > 0 && <span>{plural(credits, "credit")}</span>}
        </span>
      </div>
    </>
  );
}

/** `3 files changed +40 −12`, which opens the difference. */
function ChangesOf({ task: { taskId, turns } }: { task: ConversationTask }) {
  const opener = useContext(FileOpener);
  const changed = changedBy(turns);
  if (!changed) return null;
  const said = (
    <>
      {plural(changed.files.length, "file")} changed <Counts of={changed} />
    </>
  );
  return opener ? (
    <button type="button" class="changed-files" onClick={() => opener.openChanges(taskId)}>
      {said}
    </button>
  ) : (
    <p class="muted small">{said}</p>
  );
}

function Retry({
  isFailed,
  changes,
  retry,
}: {
  isFailed: boolean;
  /** Whether files are changed back with it. */
  changes: boolean;
  retry: (isForced: boolean) => Promise<unknown>;
}) {
  const [isAsking, setAsking] = useState(false);
  const retrying = useAction(retry);
  const begin = () => (changes ? setAsking(true) : retrying.run(false));
  return (
    <>
      <button
        type="button"
        class={isFailed ? "" : "quiet icon-button"}
        disabled={retrying.isBusy}
        {...(!isFailed && { "aria-label": "Retry", title: "Retry" })}
        onClick={begin}
      >
        <Icon of={RotateCcw} />
        {isFailed && "Retry"}
      </button>
      {retrying.error !== undefined && <Unreplaced error={retrying.error} force={() => retrying.run(true)} />}
      {isAsking && (
        <Question
          title="Retry this message?"
          confirm="Undo and retry"
          work={() => retry(false)}
          onClosed={() => setAsking(false)}
        >
          <p>The answer and its file changes are undone, and the message is sent again.</p>
        </Question>
      )}
    </>
  );
}
