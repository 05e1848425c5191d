import { diffLines } from "diff";
import type { Replacement } from "./tool-words.ts";

/** Longer texts are not compared line by line: that takes time that the page needs. */
const MAX_COMPARED = 100_000;

/** The lines that an edit takes away and adds. Signs tell them apart, not colours alone. */
export function ReplacementDiff({ replacements }: { replacements: readonly Replacement[] }) {
  return (
    <pre class="diff" tabIndex={0}>
      {replacements.flatMap((replacement) =>
        changesIn(replacement).map(({ sign, text }, index) => (
          <span key={index} class={sign === "+" ? "added" : sign === "-" ? "removed" : ""}>
            {text.replace(/^/gmu, `${sign} `)}
            {"\n"}
          </span>
        )),
      )}
    </pre>
  );
}

function changesIn({ before, after }: Replacement): { sign: "+" | "-" | " "; text: string }[] {
  const isLong = before.length + after.length > MAX_COMPARED;
  const changes =
    before === "" || isLong
      ? [
          { value: before, removed: true, added: false },
          { value: after, removed: false, added: true },
        ]
      : diffLines(before, after);
  return changes
    .filter(({ value }) => value !== "")
    .map(({ value, added, removed }) => ({
      sign: added ? "+" : removed ? "-" : " ",
      text: value.replace(/\n$/u, ""),
    }));
}
