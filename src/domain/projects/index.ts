export { createProject, SOURCE_TYPES } from "./create-project.ts";
export { deleteProject, destroyWorkspace } from "./delete-project.ts";
export { listProjects } from "./list-projects.ts";
export { touchProject, type Project } from "./queries.ts";
export { requireProject, type OpenProject } from "./require-project.ts";
export { updateProject, updateSettings } from "./update-project.ts";
