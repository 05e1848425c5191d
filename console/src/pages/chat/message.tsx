import { ConflictError } from "@agent-workspace/client";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { LinkedFile } from "../../parts/files/file-link.tsx";
import { pictureType } from "../../parts/files/picture-type.ts";
import { ProjectPicture } from "../../parts/files/project-picture.tsx";
import { Refused } from "../../parts/refused.tsx";
import { useAction } from "../../parts/use-action.ts";
import type { SentFile } from "./details.ts";

/** What a person said, with its files; below it what can be done with it. */
export function Message({
  text,
  author,
  files,
  children,
}: {
  text: string;
  /** Who said it, where that may be another person. */
  author?: string | undefined;
  files: readonly SentFile[];
  children?: ComponentChildren;
}) {
  return (
    <div class="asked">
      {author !== undefined && (
        <p class="author muted small" dir="auto">
          {author}
        </p>
      )}
      <div class="message">
        {text !== "" && <p dir="auto">{text}</p>}
        <SentFiles files={files} />
      </div>
      {children}
    </div>
  );
}

function SentFiles({ files }: { files: readonly SentFile[] }) {
  if (files.length === 0) return null;
  return (
    <ul class="sent-files" aria-label="Attached files">
      {files.map(({ name, path }, index) => (
        <li key={index} dir="auto">
          {path === undefined ? (
            name
          ) : pictureType(path) === undefined ? (
            <LinkedFile path={path}>{name}</LinkedFile>
          ) : (
            <ProjectPicture path={path} text={name} />
          )}
        </li>
      ))}
    </ul>
  );
}

/** The text of a message, to be changed and sent again. */
export function EditedMessage({
  text,
  replace,
  close,
}: {
  text: string;
  /** Takes the place of the message; refused where the answer cannot be taken back. */
  replace: (text: string, isForced: boolean) => Promise<unknown>;
  close: () => void;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  const replacing = useAction(async (isForced: boolean) => {
    const next = field.current?.value.trim() ?? "";
    if (next === "") return;
    await replace(next, isForced);
    close();
  });
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(text.length, text.length);
  }, []);
  return (
    <form
      class="edited-message"
      onSubmit={(event) => {
        event.preventDefault();
        replacing.run(false);
      }}
      onKeyDown={({ key }) => key === "Escape" && close()}
    >
      <textarea
        ref={field}
        aria-label="Edited message"
        dir="auto"
        rows={3}
        maxLength={10_000}
        defaultValue={text}
      />
      <p class="muted small">
        The edited message replaces this one. The answer and its file changes are undone; the History of the
        project keeps them.
      </p>
      <div class="row">
        <button type="submit" class="primary" disabled={replacing.isBusy}>
          Undo and send
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
      {replacing.error !== undefined && (
        <Unreplaced error={replacing.error} force={() => replacing.run(true)} />
      )}
    </form>
  );
}

/** Why an answer was not taken back, and a way to do it all the same where files of other chats are in the way. */
export function Unreplaced({ error, force }: { error: unknown; force: () => void }) {
  return (
    <>
      <Refused error={error} />
      {error instanceof ConflictError && (
        <button type="button" class="danger" onClick={force}>
          Undo anyway
        </button>
      )}
    </>
  );
}
