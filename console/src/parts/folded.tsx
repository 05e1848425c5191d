import type { ComponentChildren, RefObject } from "preact";
import { useState } from "preact/hooks";

interface FoldedProps {
  summary: string;
  /** The element, for a caller that folds it again. */
  details?: RefObject<HTMLDetailsElement>;
  class?: string;
  children: ComponentChildren;
}

/** What is folded away at first. Until a person opens it, it is not there and reads nothing; then it stays. */
export function Folded({ summary, details, class: look, children }: FoldedProps) {
  const [wasOpen, setWasOpen] = useState(false);
  return (
    <details
      {...(details && { ref: details })}
      {...(look !== undefined && { class: look })}
      onToggle={({ currentTarget }) => currentTarget.open && setWasOpen(true)}
    >
      <summary>{summary}</summary>
      {wasOpen && children}
    </details>
  );
}
