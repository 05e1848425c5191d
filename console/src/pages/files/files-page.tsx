import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Heading } from "../../parts/heading.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { WhenAwake } from "../../parts/project/when-awake.tsx";
import { QuickPick } from "../../parts/quick-pick.tsx";
import { Refused } from "../../parts/refused.tsx";
import { UploadProgress } from "../../parts/upload-progress.tsx";
import { useAction } from "../../parts/use-action.ts";
import { FileTabs } from "./file-tabs.tsx";
import { FileView } from "./file-view.tsx";
import "./files.css";
import { parentOf } from "../../parts/files/paths.ts";
import { ranked } from "../../parts/files/ranked.ts";
import { Side } from "./side.tsx";
import { onItsWay, upload } from "./upload.ts";
import { useFiles } from "./use-files.ts";

/** The files of a project: their tree, and those that are open. */
export function FilesPage({ project }: { project: string }) {
  return (
    <WhenAwake project={project} needs="files" title="Files" purpose="Wake it to see and edit them.">
      <Files project={project} />
    </WhenAwake>
  );
}

function Files({ project }: { project: string }) {
  const { state, tree, place } = useFiles(project);
  const { path, files, mayChange } = state;
  const [isPicking, setPicking] = useState(false);
  const [isTreeShown, setTreeShown] = useState(false);
  useEffect(() => setTreeShown(false), [path]);
  useEffect(() => {
    const pick = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "p" || !(event.ctrlKey || event.metaKey) || event.shiftKey) return;
      event.preventDefault();
      setPicking(true);
    };
    addEventListener("keydown", pick);
    return () => removeEventListener("keydown", pick);
  }, []);
  const entries = tree.data?.files;
  const find = useCallback(
    (text: string) =>
      ranked(
        (entries ?? []).flatMap((each) => (each.is_dir ? [] : [each.path])),
        text,
      ),
    [entries],
  );
  /** What was dropped, and where. More may come while the first of it is uploaded. */
  const dropped = useRef<{ directory: string; files: File[] }[]>([]);
  const dropping = useAction(async () => {
    try {
      for (let next = dropped.current.shift(); next; next = dropped.current.shift()) {
        // oxlint-disable-next-line no-await-in-loop -- one at a time: each may be large
        await upload(project, next.directory, next.files);
      }
    } finally {
      dropped.current = [];
    }
  });
  const way = onItsWay.value;
  const file = path === undefined ? undefined : files.of(path);
  return (
    <div
      class={`files filling${file && !isTreeShown ? " reading" : ""}`}
      onDragOver={(event) => mayChange && event.preventDefault()}
      onDrop={(event) => {
        if (!mayChange || !event.dataTransfer?.files.length) return;
        event.preventDefault();
        const directory = path === undefined ? "" : parentOf(path);
        dropped.current.push({ directory, files: [...event.dataTransfer.files] });
        dropping.run();
      }}
    >
      <Heading isHidden>Files</Heading>
      <div class="row compact bar">
        <button type="button" onClick={() => setPicking(true)}>
          Open… <kbd class="muted small">Ctrl P</kbd>
        </button>
        {file && (
          <button
            type="button"
            class="tree-switch"
            aria-expanded={isTreeShown}
            onClick={() => setTreeShown(!isTreeShown)}
          >
            Tree
          </button>
        )}
        {mayChange && (
          <span class={`row compact muted small ${way ? "" : "drop-hint"}`}>
            {way ? (
              <>
                <span dir="auto">{way.name}</span> <UploadProgress of={way.name} sent={way.sent} />
              </>
            ) : (
              "Drop files here to upload them."
            )}
          </span>
        )}
      </div>
      {dropping.error !== undefined && <Refused error={dropping.error} />}
      <aside class="side" aria-label="Tree of files">
        <Loaded of={tree}>{(found) => <Side state={state} entries={found.files} />}</Loaded>
      </aside>
      <div class="open">
        <FileTabs state={state} />
        {file ? (
          <FileView
            key={file.path}
            file={file}
            mayChange={mayChange}
            place={place}
            onClose={() => state.close(file.path)}
          />
        ) : (
          <p class="muted">Open a file from the tree, or press Ctrl P to open it by name.</p>
        )}
      </div>
      {isPicking && (
        <QuickPick
          label="Open a file by its name"
          find={find}
          onPicked={(picked) => state.open(picked)}
          onClosed={() => setPicking(false)}
        />
      )}
    </div>
  );
}
