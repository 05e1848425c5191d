import { answer, isAsked } from "../service/task-notices.ts";
import { Refused } from "./refused.tsx";
import { useAction } from "./use-action.ts";

/** Asks once, while a task takes long, whether the browser shall tell of its end. */
export function NoticePrompt() {
  const { run, isBusy, error } = useAction(answer);
  if (error !== undefined) return <Refused error={error} />;
  if (!isAsked.value) return null;
  return (
    <div class="notice small notice-prompt" role="status">
      <span>This takes a while. Shall the browser tell you when the agent is done or needs your input?</span>
      <div class="row">
        <button type="button" disabled={isBusy} onClick={() => run(true)}>
          Notify me
        </button>
        <button type="button" class="quiet" disabled={isBusy} onClick={() => run(false)}>
          No, thanks
        </button>
      </div>
    </div>
  );
}
