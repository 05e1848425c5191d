export { createProject, SOURCE_TYPES } from "./create-project.ts";
export { announceRemoval, deleteProject, destroyWorkspace } from "./delete-project.ts";
export { listProjects } from "./list-projects.ts";
export {
  addProjectMember,
  changeProjectRole,
  listProjectMembers,
  removeProjectMember,
} from "./project-members.ts";
export {
  deleteProjectRolesOfFormerMember,
  roleInProject,
  touchProject,
  type Project,
  type ProjectMember,
  type Somebody,
} from "./queries.ts";
export { requireProject, type OpenProject } from "./require-project.ts";
export { updateProject, updateSettings } from "./update-project.ts";
