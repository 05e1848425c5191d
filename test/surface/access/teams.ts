import { PERSON, manages, member, type Rows } from "./row.ts";

/** Teams, their members and invitations. */
export const TEAMS: Rows = {
  "GET /api/teams/{team}/audit-log": manages("audit.view"),
  "GET /api/teams/{team}/projects/{project}/audit-log": member("project.view"),
  "POST /api/teams/{team}/audit-log/export": manages("audit.export"),
  "POST /api/teams/invitations/{token}/accept": PERSON,
  "GET /api/teams/{team}/invitations": manages("team.invite"),
  "DELETE /api/teams/{team}/invitations/{invitation}": manages("team.invite"),
  "GET /api/teams": PERSON,
  "POST /api/teams": PERSON,
  "GET /api/teams/{team}": member("team.view"),
  "PATCH /api/teams/{team}": manages("team.edit"),
  "DELETE /api/teams/{team}": manages("team.delete"),
  "POST /api/teams/{team}/switch": member("team.view"),
  "POST /api/teams/{team}/leave": member("team.view"),
  "GET /api/teams/{team}/members": member("team.view"),
  "POST /api/teams/{team}/members/invite": manages("team.invite"),
  "POST /api/teams/{team}/members/link": manages("team.invite"),
  "PATCH /api/teams/{team}/members/{user}": manages("team.change_role"),
  "DELETE /api/teams/{team}/members/{user}": manages("team.remove_member"),
};
