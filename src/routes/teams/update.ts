import { z } from "zod";
import * as teams from "#src/domain/organisations/teams/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { describeTeam, Team, TeamName, TeamParams, TeamSlug } from "./team.ts";

const Picture = text({ max: 2048 }).pipe(
  z.url({ protocol: /^https?$/u, error: "must be an http:// or https:// address" }),
);

export const updateTeam = endpoint({
  operationId: "updateTeam",
  method: "patch",
  path: "/api/teams/:team",
  summary: "Update a team",
  description: "Absent fields are unchanged.",
  tag: "Teams",
  access: { member: "team.edit" },
  params: TeamParams,
  example: { name: "Analytical Engines" },
  body: z.object({
    name: TeamName.optional(),
    slug: TeamSlug.optional(),
    avatar_url: Picture.nullish().describe("null removes the picture"),
  }),
  refusals: [409],
  response: { status: 200, schema: Team },
  async handler({ services, caller, body, client }) {
    const { name, slug, avatar_url: avatarUrl } = body;
    return describeTeam(await teams.updateTeam(services, caller, { name, slug, avatarUrl }, client));
  },
});
