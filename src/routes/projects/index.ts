import type { Endpoint } from "#src/http/endpoint.ts";
import { beginProjectAnew } from "./begin-anew.ts";
import { createProject } from "./create.ts";
import { deleteProject } from "./delete.ts";
import { exportProject } from "./export.ts";
import { forkProject } from "./fork.ts";
import { getMyRole } from "./get-my-role.ts";
import { getSettings } from "./get-settings.ts";
import { getProjectStatus } from "./get-status.ts";
import { getProject } from "./get.ts";
import { hibernateProject } from "./hibernate.ts";
import { listProjects } from "./list.ts";
import { noteActivity } from "./note-activity.ts";
import { startProject } from "./start.ts";
import { stopProject } from "./stop.ts";
import { updateSettings } from "./update-settings.ts";
import { patchProject, putProject } from "./update.ts";
import { recoverVolume } from "./volume-recover.ts";
import { getVolumeStatus } from "./volume-status.ts";

export const projectEndpoints: readonly Endpoint[] = [
  createProject,
  listProjects,
  getProject,
  putProject,
  patchProject,
  deleteProject,
  getProjectStatus,
  startProject,
  stopProject,
  hibernateProject,
  beginProjectAnew,
  getMyRole,
  getSettings,
  updateSettings,
  noteActivity,
  exportProject,
  forkProject,
  getVolumeStatus,
  recoverVolume,
];
