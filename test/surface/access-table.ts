/** Who is admitted to an operation, and what others get. */
export interface Row {
  /** As the published document says it. */
  admits:
    | "person"
    | "superuser"
    | `member: ${string}`
    | `person or key: ${string}`
    | `key: ${string}`
    | `key of the task: ${string}`;
  /** Status for somebody who has no part in what the path or the body names. */
  stranger?: 404;
  /** Status for a member whose role is viewer. */
  viewer?: 403 | 404;
  /** Whether a key that is bound to another project is refused. */
  project?: true;
}

/** Open to anyone, and nothing else is. */
export const PUBLIC: readonly string[] = [
  "POST /api/auth/register",
  "POST /api/auth/login",
  "POST /api/auth/jwt/login",
  "POST /api/auth/cookie/login",
  "POST /api/auth/2fa/send",
  "POST /api/auth/2fa/verify",
  "POST /api/auth/forgot-password",
  "POST /api/auth/reset-password",
  "POST /api/auth/request-verify-token",
  "POST /api/auth/verify",
  "POST /api/auth/refresh",
  "GET /api/auth/csrf",
  "POST /api/auth/logout",
  "GET /api/auth/{provider}/authorize",
  "GET /api/auth/{provider}/callback",
  "POST /api/desktop/pair/exchange",
  "GET /api/teams/invitations/{token}",
  "GET /",
  "GET /login",
  "GET /register",
  "GET /forgot-password",
  "GET /reset-password",
  "GET /verify-email",
  "GET /invite/{token}",
  "GET /oauth/callback",
  "GET /desktop/pair",
  "GET /account/sessions",
  "GET /account/scripts/{script}",
  "GET /account/style.css",
  "GET /health",
  "GET /ready",
  "GET /api/config",
  "GET /api/feature-flags",
  "GET /openapi.json",
  "GET /docs",
  "GET /docs/scalar.js",
];

/**
 * Every other operation, by method and path. A route without a row fails the suite: whoever adds one says here, by hand, who
 * may call it.
 */
export const ROWS: Readonly<Record<string, Row>> = {
  "POST /api/auth/jwt/logout": { admits: "person" },
  "GET /api/auth/sessions": { admits: "person" },
  "DELETE /api/auth/sessions/{session}": { admits: "person", stranger: 404 },
  "DELETE /api/auth/sessions": { admits: "person" },
  "GET /api/users/me": { admits: "person" },
  "PATCH /api/users/me": { admits: "person" },
  "PATCH /api/users/me/handle": { admits: "person" },
  "GET /api/users/preferences": { admits: "person" },
  "PATCH /api/users/preferences": { admits: "person" },
  "GET /api/users/profile": { admits: "person" },
  "PATCH /api/users/profile": { admits: "person" },
  "GET /api/users/{user}": { admits: "superuser" },
  "PATCH /api/users/{user}": { admits: "superuser" },
  "DELETE /api/users/{user}": { admits: "superuser" },
  "GET /api/admin/users": { admits: "superuser" },
  "POST /api/admin/users/{user}/disable": { admits: "superuser" },
  "POST /api/admin/users/{user}/enable": { admits: "superuser" },
  "POST /api/admin/users/{user}/credits/adjust": { admits: "superuser" },
  "GET /api/admin/audit-logs": { admits: "superuser" },
  "GET /api/teams/{team}/audit-log": { admits: "member: audit.view", stranger: 404, viewer: 403 },
  "GET /api/teams/{team}/projects/{project}/audit-log": { admits: "member: project.view", stranger: 404 },
  "POST /api/teams/{team}/audit-log/export": { admits: "member: audit.export", stranger: 404, viewer: 403 },
  "POST /api/external-api-keys": { admits: "person" },
  "GET /api/external-api-keys": { admits: "person" },
  "GET /api/external-api-keys/scopes": { admits: "person" },
  "DELETE /api/external-api-keys/{key}": { admits: "person", stranger: 404 },
  "POST /api/desktop/pair": { admits: "person" },
  "POST /api/desktop/pair/complete": { admits: "person" },
  "GET /api/desktop/session/ping": { admits: "key: any" },
  "POST /api/v1/desktop/pair/revoke": { admits: "key: desktop.pair" },
  "GET /api/desktop/devices": { admits: "person" },
  "DELETE /api/desktop/devices/{device}": { admits: "person", stranger: 404 },
  "POST /api/teams/invitations/{token}/accept": { admits: "person" },
  "GET /api/teams/{team}/invitations": { admits: "member: team.invite", stranger: 404, viewer: 403 },
  "DELETE /api/teams/{team}/invitations/{invitation}": {
    admits: "member: team.invite",
    stranger: 404,
    viewer: 403,
  },
  "GET /api/teams": { admits: "person" },
  "POST /api/teams": { admits: "person" },
  "GET /api/teams/{team}": { admits: "member: team.view", stranger: 404 },
  "PATCH /api/teams/{team}": { admits: "member: team.edit", stranger: 404, viewer: 403 },
  "DELETE /api/teams/{team}": { admits: "member: team.delete", stranger: 404, viewer: 403 },
  "POST /api/teams/{team}/switch": { admits: "member: team.view", stranger: 404 },
  "POST /api/teams/{team}/leave": { admits: "member: team.view", stranger: 404 },
  "GET /api/teams/{team}/members": { admits: "member: team.view", stranger: 404 },
  "POST /api/teams/{team}/members/invite": { admits: "member: team.invite", stranger: 404, viewer: 403 },
  "POST /api/teams/{team}/members/link": { admits: "member: team.invite", stranger: 404, viewer: 403 },
  "PATCH /api/teams/{team}/members/{user}": {
    admits: "member: team.change_role",
    stranger: 404,
    viewer: 403,
  },
  "DELETE /api/teams/{team}/members/{user}": {
    admits: "member: team.remove_member",
    stranger: 404,
    viewer: 403,
  },
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
  "GET /api/projects/{project}/files/tree": {
    admits: "person or key: file.read",
    stranger: 404,
    project: true,
  },
  "GET /api/projects/{project}/files/content": {
    admits: "person or key: file.read",
    stranger: 404,
    project: true,
  },
  "POST /api/projects/{project}/files/content/batch": {
    admits: "person or key: file.read",
    stranger: 404,
    project: true,
  },
  "GET /api/projects/{project}/files": { admits: "person or key: file.read", stranger: 404, project: true },
  "POST /api/projects/{project}/files/save": {
    admits: "person or key: file.write",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "DELETE /api/projects/{project}/files": {
    admits: "person or key: file.delete",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/projects/{project}/files/rename": {
    admits: "person or key: file.write",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/projects/{project}/files/mkdir": {
    admits: "person or key: file.write",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "GET /api/projects/{project}/files/raw": {
    admits: "person or key: file.read",
    stranger: 404,
    project: true,
  },
  "PUT /api/projects/{project}/files/raw": {
    admits: "person or key: file.write",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "GET /api/projects/{project}/files/{path}": {
    admits: "person or key: file.read",
    stranger: 404,
    project: true,
  },
  "PUT /api/projects/{project}/files/{path}": {
    admits: "person or key: file.write",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "DELETE /api/projects/{project}/files/{path}": {
    admits: "person or key: file.delete",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "POST /api/external/agent/invoke": { admits: "key: chat.send", viewer: 403, stranger: 404, project: true },
  "GET /api/external/agent/events/{task}": {
    admits: "key of the task: chat.view",
    stranger: 404,
    viewer: 404,
    project: true,
  },
  "GET /api/external/agent/status/{task}": {
    admits: "key of the task: chat.view",
    stranger: 404,
    viewer: 404,
    project: true,
  },
  "POST /api/v1/agents/tasks/{task}/cancel": {
    admits: "key of the task: chat.send",
    stranger: 404,
    viewer: 403,
    project: true,
  },
  "GET /api/v1/agents/tasks": { admits: "key: agents.read" },
  "GET /api/v1/agents/tasks/{task}/steps": {
    admits: "key of the task: agents.read",
    stranger: 404,
    viewer: 404,
    project: true,
  },
};
