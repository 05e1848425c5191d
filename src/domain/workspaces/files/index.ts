export { endingOf, isNamedAsBinary } from "./binary-names.ts";
export { toBytes, type Encoding } from "./contents.ts";
export { normalizePath } from "#src/lib/project-path.ts";
export { changeFiles, openFiles } from "./open-files.ts";
export { listTexts, openFile, readBatch, readText, type OpenFile } from "./read-files.ts";
export { Pace } from "./pace.ts";
export {
  directoryFromRoot,
  fileToWrite,
  outsideGit,
  pathFromRoot,
  pathFromRootIn,
  requireFilePath,
} from "./paths.ts";
export { isBinary, readContents } from "./read-contents.ts";
export { searchFiles } from "./search-files.ts";
export { readTree } from "./tree.ts";
