import { useState } from "preact/hooks";
import { lazily } from "../../lazily.tsx";
import { shownPath } from "../../parts/shown-path.ts";
import type { OpenFile } from "./open-file.ts";

const Comparison = lazily(async () => (await import("../../editor/comparison.tsx")).Comparison);

/** A file that has changed under an unsaved text: the person compares the two and decides. */
export function Conflict({ file }: { file: OpenFile }) {
  const [compared, setCompared] = useState<string>();
  const theirs = file.theirs.value;
  if (!theirs) return null;
  const { text } = theirs;
  return (
    <div class="notice conflict" role="alert">
      <p>
        {text === undefined
          ? "This file was deleted, or is no longer text, while you edited it."
          : "This file changed while you edited it."}{" "}
        Nothing is overwritten until you decide.
      </p>
      <div class="row">
        {text !== undefined && (
          <button
            type="button"
            aria-expanded={compared !== undefined}
            onClick={() => setCompared(compared === undefined ? file.text : undefined)}
          >
            Compare
          </button>
        )}
        <button type="button" onClick={() => file.keepMine()}>
          Keep mine
        </button>
        <button type="button" onClick={() => void file.takeTheirs()}>
          Take theirs
        </button>
      </div>
      <p class="muted small">
        Keep mine: saving replaces their version. Take theirs: your changes are dropped.
      </p>
      {text !== undefined && compared !== undefined && (
        <>
          <p>Lines without a number are only in theirs. Underlined text is only in yours.</p>
          <Comparison path={shownPath(file.path)} before={text} after={compared} />
        </>
      )}
    </div>
  );
}
