import { CopyButton } from "./copy-button.tsx";
import { Highlighted } from "./highlighted.tsx";

interface CodeBlockProps {
  text: string;
  /** What the button is called that copies it. */
  label?: string;
  /** In whose colours it is shown, as its author names it. */
  language?: string | undefined;
}

/** Code to read or to take elsewhere, with a button that copies it. */
export function CodeBlock({ text, label = "Copy code", language }: CodeBlockProps) {
  return (
    <div class="code-block">
      <pre tabIndex={0}>
        <code>
          <Highlighted text={text} language={language} />
        </code>
      </pre>
      <div class="row">
        {language !== undefined && language !== "" && <span class="muted small">{language}</span>}
        <CopyButton text={text} label={label} isIcon />
      </div>
    </div>
  );
}
