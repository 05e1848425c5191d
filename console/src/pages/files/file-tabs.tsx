import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { Question } from "../../parts/ask-first.tsx";
import { shownPath } from "../../parts/shown-path.ts";
import type { FilesState } from "./files-state.ts";
import type { OpenFile } from "./open-file.ts";
import { addressOf, nameOf } from "../../parts/files/paths.ts";

/** The open files. A file with unsaved text says so, and is not closed unasked. */
export function FileTabs({ state }: { state: FilesState }) {
  const files = state.files.files.value;
  if (files.length === 0) return null;
  return (
    <nav class="file-tabs" aria-label="Open files">
      <ul>
        {files.map((file) => (
          <FileTab key={file.path} file={file} state={state} />
        ))}
      </ul>
    </nav>
  );
}

function FileTab({ file, state }: { file: OpenFile; state: FilesState }) {
  const { path } = file;
  const shown = shownPath(path);
  const [isAsked, setAsked] = useState(false);
  const isHere = path === state.path;
  const isUnsaved = file.isUnsaved.value;
  return (
    <li class={isHere ? "here" : ""}>
      <Link href={addressOf(state.project, path)} title={shown} aria-current={isHere ? "page" : undefined}>
        {shownPath(nameOf(path))}
        {isUnsaved && <span class="unsaved"> ● unsaved</span>}
      </Link>
      <button
        type="button"
        aria-label={`Close ${shown}`}
        onClick={() => (isUnsaved ? setAsked(true) : state.close(path))}
      >
        ×
      </button>
      {isAsked && (
        <Question
          title={`Close ${shown} without saving?`}
          confirm="Close without saving"
          work={async () => state.close(path)}
          onClosed={() => setAsked(false)}
        >
          <p>Changes since the last save are lost.</p>
        </Question>
      )}
    </li>
  );
}
