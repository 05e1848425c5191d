import { Fragment, type ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Refused } from "./refused.tsx";
import { useAction } from "./use-action.ts";

interface ActionFormProps<Result> {
  /** The word of its button. */
  submit: string;
  /** What it does with what was entered. */
  work: (form: FormData) => Promise<Result>;
  /** Said once it is done; may depend on what came of it. */
  done?: string | ((result: Result) => string);
  /** Keeps what was entered once it is done. */
  isKept?: boolean;
  children: ComponentChildren;
}

/** A form that does something: it is emptied once that is done, and says why it was refused. */
export function ActionForm<Result>({
  submit,
  work,
  done,
  isKept = false,
  children,
}: ActionFormProps<Result>) {
  const [told, setTold] = useState<string>();
  /** How often it was emptied. Fields are made anew: a reset would choose the first option, and not the one chosen at first. */
  const [round, setRound] = useState(0);
  const { run, isBusy, error } = useAction(async (form: FormData) => {
    setTold(undefined);
    const result = await work(form);
    if (!isKept) setRound((before) => before + 1);
    setTold(typeof done === "function" ? done(result) : done);
  });
  return (
    <form
      class="form narrow"
      onSubmit={(event) => {
        event.preventDefault();
        run(new FormData(event.currentTarget));
      }}
    >
      <Fragment key={round}>{children}</Fragment>
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy}>
          {submit}
        </button>
        <span role="status" class="muted small">
          {told}
        </span>
      </div>
      {error !== undefined && <Refused error={error} />}
    </form>
  );
}
