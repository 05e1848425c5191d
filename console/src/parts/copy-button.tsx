import { Check, Copy } from "lucide-preact";
import { useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

interface CopyProps {
  text: string;
  /** What the button is called. */
  label?: string;
  /** Whether it shows an icon instead of its name. */
  isIcon?: boolean;
}

/** Copies a text. Pages without TLS may not, and say so. */
export function CopyButton({ text, label = "Copy", isIcon = false }: CopyProps) {
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
  const says = outcome.of === text ? outcome.says : "";
  if (isIcon) {
    return (
      <>
        <button
          type="button"
          class="quiet icon-button"
          aria-label={label}
          title={label}
          onClick={() => void copy()}
        >
          <Icon of={says === "Copied" ? Check : Copy} />
        </button>
        <span role="status" class={says === "" || says === "Copied" ? "hidden" : "muted small"}>
          {says}
        </span>
      </>
    );
  }
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        {label}
      </button>
      <span role="status" class="muted small">
        {says}
      </span>
    </>
  );
}
