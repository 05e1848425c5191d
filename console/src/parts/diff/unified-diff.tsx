import { number, plural } from "../numbers.ts";

/** More lines than these are not shown: a page must stay quick. */
const MAX_LINES = 1_000;

/** A unified diff. Signs tell added lines from those that are taken away, not colours alone. */
export function UnifiedDiff({ text }: { text: string }) {
  const lines = text.replace(/^=+\n|\n$/gu, "").split("\n");
  return (
    <>
      <pre class="diff" tabIndex={0}>
        {lines.slice(0, MAX_LINES).map((line, index) => (
          <span key={index} class={classOf(line)}>
            {line}
            {"\n"}
          </span>
        ))}
      </pre>
      {lines.length > MAX_LINES && (
        <p class="muted small">
          Only the first {number(MAX_LINES)} of {plural(lines.length, "line")} are shown.
        </p>
      )}
    </>
  );
}

function classOf(line: string): string {
  if (line.startsWith("+++") || line.startsWith("---")) return "muted";
  return line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "";
}
