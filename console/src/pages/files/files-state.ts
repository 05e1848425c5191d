import type { Place } from "../../editor/editor.tsx";
import type { OpenFiles } from "./open-files.ts";

/** What the parts of the files page share. */
export interface FilesState {
  project: string;
  /** The file that is shown. */
  path: string | undefined;
  files: OpenFiles;
  /** Whether the person may change files. */
  mayChange: boolean;
  open: (path: string, place?: Place) => void;
  close: (path: string) => void;
}
