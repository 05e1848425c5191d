import type { Endpoint } from "#src/http/endpoint.ts";
import { createProject } from "./create.ts";
import { deleteProject } from "./delete.ts";
import { getMyRole } from "./get-my-role.ts";
import { getSettings } from "./get-settings.ts";
import { getProjectStatus } from "./get-status.ts";
import { getProject } from "./get.ts";
import { listProjects } from "./list.ts";
import { noteActivity } from "./note-activity.ts";
import { updateSettings } from "./update-settings.ts";
import { patchProject, putProject } from "./update.ts";

export const projectEndpoints: readonly Endpoint[] = [
  createProject,
  listProjects,
  getProject,
  putProject,
  patchProject,
  deleteProject,
  getProjectStatus,
  getMyRole,
  getSettings,
  updateSettings,
  noteActivity,
];
