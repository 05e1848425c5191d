import type { Rows } from "./row.ts";

/** Repositories and their hosts. */
export const GIT: Rows = {
  "POST /api/git/clone": { admits: "person or key: git.write", stranger: 404, viewer: 403, project: true },
  "POST /api/projects/{project}/git/clone": {
    admits: "person or key: git.write",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/git/commit": { admits: "person or key: git.write", stranger: 404, viewer: 403, project: true },
  "POST /api/projects/{project}/git/init": {
    admits: "person or key: git.write",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/projects/{project}/git/stage": {
    admits: "person or key: git.write",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/projects/{project}/git/commit": {
    admits: "person or key: git.write",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/projects/{project}/git/push": {
    admits: "person or key: git.write",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/projects/{project}/git/pull": {
    admits: "person or key: git.write",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/projects/{project}/git/branches": {
    admits: "person or key: git.write",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "PUT /api/projects/{project}/git/branches/switch": {
    admits: "person or key: git.write",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/projects/{project}/git/switch": {
    admits: "person or key: git.write",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "DELETE /api/projects/{project}/git/disconnect": {
    admits: "person or key: git.write",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "GET /api/projects/{project}/git/clone": {
    admits: "person or key: git.view",
    stranger: 404,
    project: true,
  },
  "GET /api/projects/{project}/git/status": {
    admits: "person or key: git.view",
    stranger: 404,
    project: true,
  },
  "GET /api/projects/{project}/git/commits": {
    admits: "person or key: git.view",
    stranger: 404,
    project: true,
  },
  "GET /api/projects/{project}/git/diff": { admits: "person or key: git.view", stranger: 404, project: true },
  "GET /api/projects/{project}/git/branches": {
    admits: "person or key: git.view",
    stranger: 404,
    project: true,
  },
  "GET /api/projects/{project}/git/info": { admits: "person or key: git.view", stranger: 404, project: true },
  "GET /api/projects/{project}/git/tree": { admits: "person or key: git.view", stranger: 404, project: true },
  "GET /api/projects/{project}/git/repo-info": {
    admits: "person or key: git.view",
    stranger: 404,
    project: true,
  },
  "GET /api/git-providers": { admits: "person" },
  "GET /api/git-providers/status": { admits: "person" },
  "GET /api/git-providers/{git_host}/status": { admits: "person" },
  "GET /api/git-providers/{git_host}/oauth/authorize": { admits: "person" },
  "PUT /api/git-providers/{git_host}/token": { admits: "person" },
  "DELETE /api/git-providers/{git_host}/disconnect": { admits: "person" },
  "GET /api/git-providers/{git_host}/repositories": { admits: "person" },
  "GET /api/git-providers/{git_host}/repositories/{owner}/{repository}": { admits: "person" },
  "GET /api/git-providers/{git_host}/repositories/{owner}/{repository}/branches": { admits: "person" },
};
