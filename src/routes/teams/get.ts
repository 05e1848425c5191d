import { requireOwnTeam } from "#src/domain/organisations/teams/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeTeam, Team, TeamParams } from "./team.ts";

export const getTeam = endpoint({
  operationId: "getTeam",
  method: "get",
  path: "/api/teams/:team",
  summary: "Get a team",
  tag: "Teams",
  access: { member: "team.view" },
  params: TeamParams,
  response: { status: 200, schema: Team },
  handler: async ({ services, caller }) =>
    describeTeam(await requireOwnTeam(services, caller.userId, caller.membership.teamId)),
});
