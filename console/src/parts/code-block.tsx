import { CopyButton } from "./copy-button.tsx";

/** Code to read or to take elsewhere, with a button that copies it. */
export function CodeBlock({ text, label = "Copy" }: { text: string; label?: string }) {
  return (
    <div class="code-block">
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      <div class="row">
        <CopyButton text={text} label={label} />
      </div>
    </div>
  );
}
