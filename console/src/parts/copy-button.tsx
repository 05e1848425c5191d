import { useState } from "preact/hooks";

/** Copies a text. Pages without TLS may not, and say so. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  /** Of a text: another one that takes its place was not copied. */
  const [outcome, setOutcome] = useState({ of: text, says: "" });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome({ of: text, says: "Copied" });
    } catch {
      setOutcome({ of: text, says: "Not copied. Select the text instead." });
    }
  };
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        {label}
      </button>
      <span role="status" class="muted small">
        {outcome.of === text && outcome.says}
      </span>
    </>
  );
}
