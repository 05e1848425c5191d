import { createContext } from "preact";
import type { NamedFile } from "./linked-file.ts";

/** How a part of a page leads to the files of its project: beside it where there is room, else to their page. */
export interface Opener {
  readonly project: string;
  readonly openFile: (file: NamedFile) => void;
  /** Shows what a task has changed. */
  readonly openChanges: (task: string) => void;
  /** The file that a short text names, such as a path or the name of a file that the agent has worked on. */
  readonly fileNamed: (text: string) => NamedFile | undefined;
}

/** Of what stands in a project; undefined elsewhere. */
export const FileOpener = createContext<Opener | undefined>(undefined);
