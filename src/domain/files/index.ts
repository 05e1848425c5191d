export { toBytes, type Encoding } from "./contents.ts";
export { normalizeDirectory, normalizePath, normalizePathIn } from "#src/lib/project-path.ts";
export { changeFiles, openFiles } from "./open-files.ts";
export { listTexts, readBatch, readText } from "./read-files.ts";
export { readTree } from "./tree.ts";
