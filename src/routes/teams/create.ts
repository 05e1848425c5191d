import { z } from "zod";
import * as teams from "#src/domain/organisations/teams/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeTeam, Team, TeamName, TeamSlug } from "./team.ts";

export const createTeam = endpoint({
  operationId: "createTeam",
  method: "post",
  path: "/api/teams",
  summary: "Create a team",
  description: "The caller becomes its administrator.",
  tag: "Teams",
  access: { user: "any" },
  example: { name: "Analytical Engines" },
  body: z.object({
    name: TeamName,
    slug: TeamSlug.nullish().describe("Made from the name when absent"),
  }),
  refusals: [403, 409],
  response: { status: 201, schema: Team },
  handler: async ({ services, caller, body, client }) =>
    describeTeam(
      await teams.createTeam(services, caller, { name: body.name, slug: body.slug ?? undefined }, client),
    ),
});
