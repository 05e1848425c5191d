export { requireProject, type OpenProject } from "./require-project.ts";
export { touchProject, type Project } from "./queries.ts";
