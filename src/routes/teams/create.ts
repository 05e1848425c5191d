import { z } from "zod";
import { createTeam as make } from "#src/domain/teams/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { describeTeam, Team, TeamName, TeamSlug } from "./team.ts";

export const createTeam = endpoint({
  method: "post",
  path: "/api/teams",
  summary: "Make a team, with the caller as its administrator",
  tag: "Teams",
  access: { user: "any" },
  body: z.object({
    name: TeamName,
    slug: TeamSlug.nullish().describe("Made from the name when absent"),
  }),
  refusals: [403, 409],
  response: { status: 201, schema: Team },
  handler: async ({ services, caller, body, client }) =>
    describeTeam(await make(services, caller, { name: body.name, slug: body.slug ?? undefined }, client)),
});
