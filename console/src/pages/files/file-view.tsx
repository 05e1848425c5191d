import type { ComponentChildren } from "preact";
import { lazily } from "../../lazily.tsx";
import type { EditorProps, Place } from "../../editor/editor.tsx";
import { bytes } from "../../parts/bytes.ts";
import { Refused } from "../../parts/refused.tsx";
import { shownPath } from "../../parts/shown-path.ts";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Conflict } from "./conflict.tsx";
import type { OpenFile } from "./open-file.ts";
import { nameOf } from "../../parts/files/paths.ts";

const Editor = lazily<EditorProps>(async () => (await import("../../editor/editor.tsx")).Editor);

interface FileViewProps {
  file: OpenFile;
  mayChange: boolean;
  place: Place | undefined;
  onClose: () => void;
}

/** One open file: its text in an editor, a picture, or why neither is shown. */
export function FileView(props: FileViewProps) {
  const { file, mayChange } = props;
  const { project, path } = file;
  const query = new URLSearchParams({ path });
  const isUnsaved = file.isUnsaved.value;
  return (
    <section class="file" aria-label={shownPath(path)}>
      <div class="row compact">
        <strong class="path">{shownPath(path)}</strong>
        <span class="muted small" role="status">
          {file.isSaving.value ? "Saving…" : isUnsaved ? "Unsaved" : ""}
        </span>
        <span class="spring" />
        {mayChange && file.shown.value.kind === "text" && (
          <button
            type="button"
            class="primary"
            disabled={!isUnsaved || file.isSaving.value || file.theirs.value !== undefined}
            onClick={() => void file.save()}
          >
            Save
          </button>
        )}
        <a
          class="button"
          href={`/api/projects/${project}/files/raw?${query.toString()}`}
          download={nameOf(path)}
        >
          Download
        </a>
      </div>
      {file.isUnkept.value && (
        <p class="notice">
          The browser’s storage is full: a reload loses unsaved changes. Save the file first.
        </p>
      )}
      {file.refusal.value !== undefined && (
        <Refused error={file.refusal.value} again={isUnsaved ? () => void file.save() : undefined} />
      )}
      <Conflict key={file.theirs.value?.etag} file={file} />
      <Content {...props} />
    </section>
  );
}

function Content({ file, mayChange, place, onClose }: FileViewProps): ComponentChildren {
  const shown = file.shown.value;
  switch (shown.kind) {
    case "text":
      return (
        <Editor
          key={file.path}
          path={file.path}
          text={file.text}
          revision={file.revision.value}
          isReadOnly={!mayChange}
          memory={file.memory}
          place={place}
          onText={(text) => file.edit(text)}
          onSave={() => void file.save()}
        />
      );
    case "image":
      return (
        <div class="picture">
          <img src={shown.url} alt={shownPath(file.path)} />
        </div>
      );
    case "binary":
      return <p class="notice">This is not a text file ({bytes(shown.size)}). Download it to open it.</p>;
    case "large":
      return (
        <p class="notice">
          This file is too large to show here ({bytes(shown.size)}). Download it to open it.
        </p>
      );
    case "gone":
      return (
        <div class="notice">
          <p>File not found. It may have been deleted or renamed.</p>
          <button type="button" onClick={onClose}>
            Close
          </button>
        </div>
      );
    case "refused":
      return <Refused error={shown.error} again={() => void file.load()} />;
    case "loading":
    default:
      return <Skeleton />;
  }
}
