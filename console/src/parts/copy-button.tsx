import { useState } from "preact/hooks";

/** Copies a text. Pages without TLS may not, and say so. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [outcome, setOutcome] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome("Copied");
    } catch {
      setOutcome("Not copied: select the text instead");
    }
  };
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        {label}
      </button>
      <span role="status" class="muted small">
        {outcome}
      </span>
    </>
  );
}
