export { addProjectMember } from "./add-project-member.ts";
export { changeProjectRole } from "./change-project-role.ts";
export { createProject, createProjectFrom, findSource, SOURCE_TYPES } from "./create-project.ts";
export { deleteProject } from "./delete-project.ts";
export { destroyWorkspace } from "./destroy-workspace.ts";
export { listProjectMembers } from "./list-project-members.ts";
export { listProjects } from "./list-projects.ts";
export { deleteProjectRolesOfFormerMember, type ProjectMember } from "./queries/members.ts";
export {
  endChannelsOfProjects,
  roleInProject,
  touchProject,
  touchProjectNowAndThen,
  type Person,
  type Project,
  type Viewer,
} from "./queries/projects.ts";
export { storeRemovals } from "./queries/removal.ts";
export { storeTransitions } from "./queries/state.ts";
export { removeProjectMember } from "./remove-project-member.ts";
export { requireProject, requireProjectAndRead, type OpenProject, viewerOf } from "./require-project.ts";
export { shownStatus } from "./shown-status.ts";
export { settleMessage, stateWanted } from "./state-wanted.ts";
export { updateProject, updateSettings } from "./update-project.ts";
export { workspaceLeft } from "./workspace-left.ts";
