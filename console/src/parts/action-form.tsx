import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Refused } from "./refused.tsx";
import { useAction } from "./use-action.ts";

interface ActionFormProps {
  /** The word of its button. */
  submit: string;
  /** What it does with what was entered. */
  work: (form: FormData) => Promise<unknown>;
  /** Said once it is done. */
  done?: string;
  /** Keeps what was entered once it is done. */
  isKept?: boolean;
  children: ComponentChildren;
}

/** A form that does something: it is emptied once that is done, and says why it was refused. */
export function ActionForm({ submit, work, done, isKept = false, children }: ActionFormProps) {
  const [isDone, setDone] = useState(false);
  const { run, isBusy, error } = useAction(async (form: FormData, element: HTMLFormElement) => {
    setDone(false);
    await work(form);
    if (!isKept) element.reset();
    setDone(true);
  });
  return (
    <form
      class="form narrow"
      onSubmit={(event) => {
        event.preventDefault();
        run(new FormData(event.currentTarget), event.currentTarget);
      }}
    >
      {children}
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy}>
          {submit}
        </button>
        <span role="status" class="muted small">
          {isDone && done}
        </span>
      </div>
      {error !== undefined && <Refused error={error} />}
    </form>
  );
}
