import { useState } from "preact/hooks";
import type { Place } from "../../editor/editor.tsx";
import { textOf } from "../../parts/form-text.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { plural } from "../../parts/numbers.ts";
import { shownPath } from "../../parts/shown-path.ts";
import { useTextSearch } from "./reads.ts";

interface TextSearchProps {
  project: string;
  open: (path: string, place: Place) => void;
}

/** Searches a text in all files, and opens one at its line. */
export function TextSearch({ project, open }: TextSearchProps) {
  const [wanted, setWanted] = useState({ text: "", matchCase: false });
  const found = useTextSearch(project, wanted.text, wanted.matchCase);
  return (
    <details class="text-search">
      <summary>Search text in files</summary>
      <form
        class="form"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          setWanted({ text: textOf(form, "text"), matchCase: form.has("case") });
        }}
      >
        <div class="field">
          <label for="search-text">Text</label>
          <input id="search-text" name="text" type="search" maxLength={1_000} autocomplete="off" />
        </div>
        <div class="row">
          <button type="submit">Search</button>
          <label>
            <input type="checkbox" name="case" /> Match case
          </label>
        </div>
      </form>
      {wanted.text !== "" && (
        <Loaded of={found}>
          {({ hits, truncated }) => (
            <>
              <p class="muted small" role="status">
                {hits.length === 0 ? "No matches." : plural(hits.length, "line")}
                {truncated && ", maybe more"}
              </p>
              <ul class="hits">
                {hits.map(({ path, line, column, text }) => (
                  <li key={`${path}:${line}`}>
                    <button type="button" onClick={() => open(path, { line, column })}>
                      <span>
                        {shownPath(path)}:{line}
                      </span>
                      <code>{text.trim()}</code>
                    </button>
                  </li>
                ))}
              </ul>
            </>
          )}
        </Loaded>
      )}
    </details>
  );
}
