import { useEffect, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { Place } from "../../editor/editor.tsx";
import { useProjectLive } from "../../live/use-project-live.ts";
import { paced } from "../../parts/paced.ts";
import { useRawLocation } from "../../parts/pane.ts";
import { useMayEdit } from "../../service/roles.ts";
import { reads } from "../../service/reads.ts";
import type { FilesState } from "./files-state.ts";
import { OpenFiles } from "./open-files.ts";
import { addressOf, pathIn } from "../../parts/files/paths.ts";
import { treeKey, useTree } from "../../parts/files/tree.ts";

/** While files change all the time, so long passes after each reading of the tree. */
const TREE_MS = 4_000;

/** The state of the files page: its open files, which follow the project's. */
export function useFiles(project: string) {
  const [, navigate] = useLocation();
  const [address = "", fragment = ""] = useRawLocation().split("#");
  const path = pathIn(address);
  const [files] = useState(() => new OpenFiles(project));
  const [place, setPlace] = useState<Place & { path: string }>();
  const mayChange = useMayEdit(project) === true;
  const tree = useTree(project);
  const live = useProjectLive(project);

  useEffect(() => {
    if (path === undefined) return;
    files.open(path);
    const line = Number(/^L(\d{1,7})$/u.exec(fragment)?.[1]);
    if (line > 0) setPlace({ line, column: 1, path });
  }, [path, fragment]);
  useEffect(() => {
    if (tree.data) files.compare(tree.data.files);
  }, [tree.data]);
  useEffect(() => {
    const reading = paced(() => reads.invalidateQueries({ queryKey: treeKey(project) }), TREE_MS);
    const leave = live?.onFiles((paths) => {
      if (paths) files.changed(paths);
      reading.ask();
    });
    return () => {
      reading.end();
      leave?.();
    };
  }, [live]);
  useEffect(() => {
    const keep = () => files.keepDrafts();
    addEventListener("pagehide", keep);
    return () => {
      removeEventListener("pagehide", keep);
      keep();
    };
  }, []);

  const state: FilesState = {
    project,
    path,
    files,
    mayChange,
    open(opened, at) {
      if (at) setPlace({ ...at, path: opened });
      navigate(addressOf(project, opened));
    },
    close(closed) {
      files.close(closed);
      if (closed === path) navigate(addressOf(project, files.files.value.at(-1)?.path));
    },
  };
  return { state, tree, place: place?.path === path ? place : undefined };
}
