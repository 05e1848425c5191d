import type { Endpoint } from "#src/http/endpoint.ts";
import { deleteFile, deleteNamedFile } from "./delete-file.ts";
import { getContent } from "./get-content.ts";
import { getFile } from "./get-file.ts";
import { getTree } from "./get-tree.ts";
import { listFiles } from "./list-files.ts";
import { makeDirectory } from "./mkdir.ts";
import { putFile } from "./put-file.ts";
import { getRaw, putRaw } from "./raw.ts";
import { readBatch } from "./read-batch.ts";
import { renameFile } from "./rename.ts";
import { saveFile } from "./save.ts";
import { searchFileTexts } from "./search.ts";

/** Literal paths come before paths that match any file. */
export const fileEndpoints: readonly Endpoint[] = [
  getTree,
  getContent,
  readBatch,
  searchFileTexts,
  listFiles,
  saveFile,
  deleteNamedFile,
  renameFile,
  makeDirectory,
  getRaw,
  putRaw,
  getFile,
  putFile,
  deleteFile,
];
