import type { Endpoint } from "#src/http/endpoint.ts";
import { addProjectMember } from "./add.ts";
import { listProjectMembers } from "./list.ts";
import { removeProjectMember } from "./remove.ts";
import { updateProjectMember } from "./update.ts";

export const projectMemberEndpoints: readonly Endpoint[] = [
  listProjectMembers,
  addProjectMember,
  updateProjectMember,
  removeProjectMember,
];
