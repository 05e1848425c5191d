export { toBytes, type Encoding } from "./contents.ts";
export { normalizePath } from "#src/lib/project-path.ts";
export { changeFiles, openFiles } from "./open-files.ts";
export { listTexts, readBatch, readText } from "./read-files.ts";
export {
  directoryFromRoot,
  fileToWrite,
  outsideGit,
  pathFromRoot,
  pathFromRootIn,
  requireFilePath,
} from "./paths.ts";
export { readTree } from "./tree.ts";
