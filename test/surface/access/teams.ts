import type { Rows } from "./row.ts";

/** Teams, their members and invitations. */
export const TEAMS: Rows = {
  "GET /api/teams/{team}/audit-log": { admits: "member: audit.view", stranger: 404, viewer: 403 },
  "GET /api/teams/{team}/projects/{project}/audit-log": { admits: "member: project.view", stranger: 404 },
  "POST /api/teams/{team}/audit-log/export": { admits: "member: audit.export", stranger: 404, viewer: 403 },
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
};
