import type { ComponentChildren } from "preact";
import { Refused } from "./refused.tsx";
import { useAction } from "./use-action.ts";

/** A button that does something at once, and says why it was refused. */
export function ActionButton({
  work,
  children,
  disabled = false,
  isPrimary = false,
}: {
  work: () => Promise<unknown>;
  children: ComponentChildren;
  disabled?: boolean;
  /** Whether it is what most people do here. */
  isPrimary?: boolean;
}) {
  const { run, isBusy, error } = useAction(work);
  return (
    <>
      <button
        type="button"
        class={isPrimary ? "primary" : undefined}
        disabled={isBusy || disabled}
        onClick={() => run()}
      >
        {children}
      </button>
      {error !== undefined && <Refused error={error} />}
    </>
  );
}
