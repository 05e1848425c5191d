import type { Rows } from "./row.ts";

/** Containers of a project, what connects them, and the browser windows that look at them. */
export const CONTAINERS: Rows = {
  "GET /api/projects/{project}/containers/connections": {
    admits: "person or key: container.view",
    stranger: 404,
    project: true,
  },
  "POST /api/projects/{project}/containers/connections": {
    admits: "person or key: container.edit",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "DELETE /api/projects/{project}/containers/connections/{connection}": {
    admits: "person or key: container.edit",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "GET /api/projects/{project}/containers/status": {
    admits: "person or key: container.view",
    stranger: 404,
    project: true,
  },
  "GET /api/projects/{project}/container-status": {
    admits: "person or key: container.view",
    stranger: 404,
    project: true,
  },
  "GET /api/projects/{project}/container-info": {
    admits: "person or key: container.view",
    stranger: 404,
    project: true,
  },
  "GET /api/projects/{project}/dev-server-url": {
    admits: "person or key: container.view",
    stranger: 404,
    project: true,
  },
  "POST /api/projects/{project}/containers/start-all": {
    admits: "person or key: container.start_stop",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/projects/{project}/containers/restart-all": {
    admits: "person or key: container.start_stop",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/projects/{project}/containers/stop-all": {
    admits: "person or key: container.start_stop",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "GET /api/projects/{project}/containers": {
    admits: "person or key: container.view",
    stranger: 404,
    project: true,
  },
  "POST /api/projects/{project}/containers": {
    admits: "person or key: container.create",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "GET /api/projects/{project}/containers/{container}": {
    admits: "person or key: container.view",
    stranger: 404,
    project: true,
  },
  "PATCH /api/projects/{project}/containers/{container}": {
    admits: "person or key: container.edit",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "DELETE /api/projects/{project}/containers/{container}": {
    admits: "person or key: container.delete",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/projects/{project}/containers/{container}/rename": {
    admits: "person or key: container.edit",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "PUT /api/projects/{project}/containers/{container}/credentials": {
    admits: "person or key: container.edit",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/projects/{project}/containers/{container}/secrets/{variable}/reveal": {
    admits: "person",
    stranger: 404,
    viewer: 403,
  },
  "PATCH /api/projects/{project}/containers/{container}/deployment-target": {
    admits: "person or key: container.edit",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/projects/{project}/containers/{container}/start": {
    admits: "person or key: container.start_stop",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/projects/{project}/containers/{container}/restart": {
    admits: "person or key: container.start_stop",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/projects/{project}/containers/{container}/stop": {
    admits: "person or key: container.start_stop",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "GET /api/projects/{project}/containers/{container}/health": {
    admits: "person or key: container.view",
    stranger: 404,
    project: true,
  },
  "GET /api/projects/{project}/containers/{container}/logs": {
    admits: "person or key: container.view",
    stranger: 404,
    project: true,
  },
  "GET /api/projects/{project}/browser-previews": {
    admits: "person or key: container.view",
    stranger: 404,
    project: true,
  },
  "POST /api/projects/{project}/browser-previews": {
    admits: "person or key: container.edit",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "PATCH /api/projects/{project}/browser-previews/{preview}": {
    admits: "person or key: container.edit",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "DELETE /api/projects/{project}/browser-previews/{preview}": {
    admits: "person or key: container.edit",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/projects/{project}/browser-previews/{preview}/connect/{container}": {
    admits: "person or key: container.edit",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/projects/{project}/browser-previews/{preview}/disconnect": {
    admits: "person or key: container.edit",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "GET /api/projects/{project}/setup-config": {
    admits: "person or key: file.read",
    stranger: 404,
    project: true,
  },
  "POST /api/projects/{project}/setup-config": {
    admits: "person or key: container.create",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/projects/{project}/sync-config": {
    admits: "person or key: container.edit",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/projects/{project}/analyze": {
    admits: "person or key: file.read",
    stranger: 404,
    project: true,
  },
};
