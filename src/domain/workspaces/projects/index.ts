export { addProjectMember } from "./add-project-member.ts";
export { changeProjectRole } from "./change-project-role.ts";
export { createProject, createProjectFrom, findSource, SOURCE_TYPES } from "./create-project.ts";
export { announceRemoval, deleteProject, destroyWorkspace } from "./delete-project.ts";
export { listProjectMembers } from "./list-project-members.ts";
export { listProjects } from "./list-projects.ts";
export {
  deleteProjectRolesOfFormerMember,
  endChannelsOfProjects,
  roleInProject,
  touchProject,
  touchProjectNowAndThen,
  type Project,
  type ProjectMember,
  type Viewer,
} from "./queries.ts";
export { removeProjectMember } from "./remove-project-member.ts";
export { requireProject, type OpenProject, viewerOf } from "./require-project.ts";
export { settleMessage } from "./settle-message.ts";
export { shownStatus } from "./shown-status.ts";
export { updateProject, updateSettings } from "./update-project.ts";
