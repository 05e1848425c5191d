import type { Endpoint } from "#src/http/endpoint.ts";
import { deleteBase } from "./delete.ts";
import { exportTemplate } from "./export-template.ts";
import { getBase } from "./get.ts";
import { listBases } from "./list.ts";
import { uploadBase } from "./upload.ts";

export const baseEndpoints: readonly Endpoint[] = [
  listBases,
  uploadBase,
  getBase,
  deleteBase,
  exportTemplate,
];
