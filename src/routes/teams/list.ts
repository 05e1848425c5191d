import { z } from "zod";
import * as teams from "#src/domain/organisations/teams/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeTeam, Team } from "./team.ts";

export const listTeams = endpoint({
  operationId: "listTeams",
  method: "get",
  path: "/api/teams",
  summary: "List teams",
  description: "The caller's teams, in the order of joining.",
  tag: "Teams",
  access: { user: "any" },
  response: { status: 200, schema: z.array(Team) },
  handler: async ({ services, caller }) => (await teams.listTeams(services, caller.userId)).map(describeTeam),
});
