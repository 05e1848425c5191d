import type { Rows } from "./row.ts";

/** Projects, their members, and the tasks that work on them in the background. */
export const PROJECTS: Rows = {
  "POST /api/projects": { admits: "person or key: project.create", viewer: 403 },
  "GET /api/projects": { admits: "person or key: project.list" },
  "GET /api/projects/{project}": { admits: "person or key: project.view", stranger: 404, project: true },
  "PUT /api/projects/{project}": {
    admits: "person or key: project.edit",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "PATCH /api/projects/{project}": {
    admits: "person or key: project.edit",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "DELETE /api/projects/{project}": {
    admits: "person or key: project.delete",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "GET /api/projects/{project}/status": {
    admits: "person or key: project.view",
    stranger: 404,
    project: true,
  },
  "POST /api/projects/{project}/start": {
    admits: "person or key: container.start_stop",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/projects/{project}/stop": {
    admits: "person or key: container.start_stop",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/projects/{project}/hibernate": {
    admits: "person or key: container.start_stop",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/projects/{project}/deploy": {
    admits: "person or key: project.edit",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "DELETE /api/projects/{project}/deploy": {
    admits: "person or key: project.edit",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "GET /api/projects/deployment/limits": { admits: "person or key: project.list" },
  "GET /api/tasks/user/active": { admits: "person or key: project.view" },
  "GET /api/tasks/user/all": { admits: "person or key: project.view" },
  "GET /api/tasks/{background_task}/status": {
    admits: "person or key: project.view",
    stranger: 403,
    viewer: 403,
    project: true,
  },
  "DELETE /api/tasks/{background_task}": {
    admits: "person or key: project.edit",
    stranger: 403,
    viewer: 403,
    project: true,
  },
  "GET /api/projects/{project}/my-role": {
    admits: "person or key: project.view",
    stranger: 404,
    project: true,
  },
  "GET /api/projects/{project}/settings": {
    admits: "person or key: project.view",
    stranger: 404,
    project: true,
  },
  "PATCH /api/projects/{project}/settings": {
    admits: "person or key: project.settings",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/projects/{project}/activity": {
    admits: "person or key: project.view",
    stranger: 404,
    project: true,
  },
  "GET /api/projects/{project}/members": { admits: "person", stranger: 404 },
  "POST /api/projects/{project}/members": { admits: "person", stranger: 404, viewer: 403 },
  "PATCH /api/projects/{project}/members/{user}": { admits: "person", stranger: 404, viewer: 403 },
  "DELETE /api/projects/{project}/members/{user}": { admits: "person", stranger: 404, viewer: 403 },
};
