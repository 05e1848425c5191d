import type { api } from "@agent-workspace/client";
import { useId, useRef, useState } from "preact/hooks";
import { Question } from "../../parts/ask-first.tsx";
import { textOf } from "../../parts/form-text.ts";
import { Refused } from "../../parts/refused.tsx";
import { shownPath, writtenPath } from "../../parts/shown-path.ts";
import { useAction } from "../../parts/use-action.ts";
import { stale } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";
import type { FilesState } from "./files-state.ts";
import { isWithin, joined } from "../../parts/files/paths.ts";
import { treeKey } from "../../parts/files/tree.ts";
import { upload } from "./upload.ts";

interface ActionsProps {
  state: FilesState;
  /** What is selected in the tree. */
  entry: api.TreeEntry | undefined;
  /** Where new files go. */
  directory: string;
}

type Asked = "file" | "folder" | "rename" | "delete";

/** Buttons that change the files of a project. */
export function Actions(props: ActionsProps) {
  const { state, entry, directory } = props;
  /** With its entry: the question about it stays although the tree has another entry by then. */
  const [asked, setAsked] = useState<{ what: Asked; about?: ActionsProps["entry"] }>();
  const chooser = useRef<HTMLInputElement>(null);
  const uploading = useAction(async (files: File[]) => upload(state.project, directory, files));
  const onClosed = () => setAsked(undefined);
  return (
    <>
      <div class="row compact">
        <button type="button" onClick={() => setAsked({ what: "file" })}>
          New file
        </button>
        <button type="button" onClick={() => setAsked({ what: "folder" })}>
          New folder
        </button>
        <button type="button" disabled={uploading.isBusy} onClick={() => chooser.current?.click()}>
          Upload
        </button>
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          aria-label="Files to upload"
          onChange={({ currentTarget }) => {
            uploading.run([...(currentTarget.files ?? [])]);
            currentTarget.value = "";
          }}
        />
        {entry && (
          <>
            <button type="button" onClick={() => setAsked({ what: "rename", about: entry })}>
              Rename
            </button>
            <button type="button" onClick={() => setAsked({ what: "delete", about: entry })}>
              Delete
            </button>
          </>
        )}
      </div>
      {uploading.error !== undefined && <Refused error={uploading.error} />}
      {(asked?.what === "file" || asked?.what === "folder") && (
        <Make {...props} what={asked.what} onClosed={onClosed} />
      )}
      {asked?.what === "rename" && asked.about && (
        <Rename state={state} entry={asked.about} onClosed={onClosed} />
      )}
      {asked?.what === "delete" && asked.about && (
        <Delete state={state} entry={asked.about} onClosed={onClosed} />
      )}
    </>
  );
}

function PathField({ label, value }: { label: string; value: string }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name="path"
        required
        autocomplete="off"
        spellcheck={false}
        defaultValue={shownPath(value)}
      />
    </div>
  );
}

function Make({
  state,
  directory,
  what,
  onClosed,
}: ActionsProps & { what: "file" | "folder"; onClosed: () => void }) {
  const { project, open } = state;
  const beginning = joined(directory, "");
  const work = async (form: FormData) => {
    const path = writtenPath(textOf(form, "path"), beginning);
    if (what === "folder") await workspace.files.mkdir(project, path);
    else await workspace.files.write(project, path, "", { headers: { "if-none-match": "*" } });
    stale(treeKey(project));
    if (what === "file") open(path);
  };
  return (
    <Question isHarmless title={`New ${what}`} confirm="Create" work={work} onClosed={onClosed}>
      <PathField label="Path" value={beginning} />
    </Question>
  );
}

interface EntryDialogProps {
  state: FilesState;
  entry: api.TreeEntry;
  onClosed: () => void;
}

/** The open files at or below an entry that have unsaved text. */
function unsavedIn({ files }: FilesState, { path }: api.TreeEntry) {
  return files.files.value.filter((file) => isWithin(file.path, path) && file.isUnsaved.value);
}

function Rename({ state, entry, onClosed }: EntryDialogProps) {
  const { project, files } = state;
  const unsaved = unsavedIn(state, entry);
  const work = async (form: FormData) => {
    const to = writtenPath(textOf(form, "path"), entry.path);
    await workspace.files.rename(project, entry.path, to);
    const moved = files.files.value.filter(({ path }) => isWithin(path, entry.path)).map(({ path }) => path);
    const isShown = state.path !== undefined && isWithin(state.path, entry.path);
    const target = isShown ? to + (state.path ?? "").slice(entry.path.length) : undefined;
    files.close(entry.path);
    for (const path of moved) files.open(to + path.slice(entry.path.length));
    stale(treeKey(project));
    if (target !== undefined) state.open(target);
  };
  if (unsaved.length > 0) {
    return (
      <Question
        isHarmless
        title={`${shownPath(entry.name)} has unsaved changes`}
        confirm="OK"
        work={async () => {}}
        onClosed={onClosed}
      >
        <p>Save it, or close it without saving, then rename it.</p>
      </Question>
    );
  }
  return (
    <Question
      isHarmless
      title={`Rename ${shownPath(entry.name)}`}
      confirm="Rename"
      work={work}
      onClosed={onClosed}
    >
      <PathField label="New path" value={entry.path} />
    </Question>
  );
}

function Delete({ state, entry, onClosed }: EntryDialogProps) {
  const { project } = state;
  const work = async () => {
    await workspace.files.delete(project, entry.path, { recursive: entry.is_dir });
    if (state.path !== undefined && isWithin(state.path, entry.path)) state.close(state.path);
    state.files.close(entry.path);
    stale(treeKey(project));
  };
  return (
    <Question title={`Delete ${shownPath(entry.path)}?`} confirm="Delete" work={work} onClosed={onClosed}>
      <p>
        {entry.is_dir ? "The folder and everything in it are deleted. " : "The file is deleted. "}
        Only an earlier snapshot can bring it back.
      </p>
      {unsavedIn(state, entry).length > 0 && <p>Unsaved changes in it are lost.</p>}
    </Question>
  );
}
