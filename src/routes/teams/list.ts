import { z } from "zod";
import { listTeams as teamsOf } from "#src/domain/teams/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeTeam, Team } from "./team.ts";

export const listTeams = endpoint({
  method: "get",
  path: "/api/teams",
  summary: "Teams that the caller belongs to, in the order of joining",
  tag: "Teams",
  access: { user: "any" },
  response: { status: 200, schema: z.array(Team) },
  handler: async ({ services, caller }) => (await teamsOf(services, caller.userId)).map(describeTeam),
});
