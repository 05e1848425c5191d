import { CopyButton } from "./copy-button.tsx";

/** A text to take elsewhere, with a button that copies it. */
export function CopiedText({ text, name }: { text: string; name: string }) {
  return (
    <span class="row">
      <code class="breaking">{text}</code>
      <CopyButton text={text} label={`Copy ${name}`} />
    </span>
  );
}
