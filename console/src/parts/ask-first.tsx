import { visibleLine } from "@agent-workspace/client";
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { Dialog } from "./dialog.tsx";
import { Refused } from "./refused.tsx";
import { useAction } from "./use-action.ts";

/**
 * A button that opens a question before it does something: what cannot be taken back, or what needs to be told more. Where
 * there is a name to type, it waits for that.
 */
export function AskFirst({
  label,
  shown = label,
  ...question
}: {
  label: string;
  /** What the button shows on a line that has the rest of the label already. */
  shown?: string;
} & Omit<QuestionProps, "onClosed">) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" {...(shown !== label && { "aria-label": label })} onClick={() => setOpen(true)}>
        {shown}
      </button>
      {isOpen && <Question {...question} onClosed={() => setOpen(false)} />}
    </>
  );
}

interface QuestionProps {
  title: string;
  /** What follows from it, and what the work needs. */
  children?: ComponentChildren;
  /** The word of the button that does it. */
  confirm: string;
  /** Whether it harms nothing, so that the button does not warn. */
  isHarmless?: boolean;
  /** The name to type. */
  typed?: string;
  typedLabel?: string;
  work: (form: FormData) => Promise<unknown>;
  onClosed: () => void;
}

/** A question that is open: it says what will happen, and stays while the work is refused. */
export function Question(props: QuestionProps) {
  const id = useId();
  return (
    <Dialog labelledBy={id} onClosed={props.onClosed}>
      {(close) => <QuestionForm {...props} titleId={id} close={close} />}
    </Dialog>
  );
}

function QuestionForm({
  titleId,
  title,
  children,
  confirm,
  isHarmless,
  typed,
  typedLabel = `Type the name: ${typed}`,
  work,
  close,
}: QuestionProps & { titleId: string; close: () => void }) {
  const [given, setGiven] = useState("");
  const id = useId();
  const { run, isBusy, error } = useAction(async (form: FormData) => {
    await work(form);
    close();
  });
  const isReady = typed === undefined || [typed, visibleLine(typed)].includes(given);
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) run(new FormData(event.currentTarget));
      }}
    >
      <h2 id={titleId}>{visibleLine(title)}</h2>
      {children}
      {typed !== undefined && (
        <div class="field">
          <label for={id}>{visibleLine(typedLabel)}</label>
          <input
            id={id}
            autocomplete="off"
            value={given}
            onInput={({ currentTarget }) => setGiven(currentTarget.value)}
          />
        </div>
      )}
      {error !== undefined && <Refused error={error} />}
      <div class="row">
        <button type="submit" class={isHarmless ? "primary" : "danger"} disabled={isBusy || !isReady}>
          {visibleLine(confirm)}
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </form>
  );
}
