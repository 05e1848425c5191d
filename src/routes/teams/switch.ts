import { z } from "zod";
import * as teams from "#src/domain/organisations/teams/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { TeamParams } from "./team.ts";

export const switchTeam = endpoint({
  operationId: "switchTeam",
  method: "post",
  path: "/api/teams/:team/switch",
  summary: "Switch the active team",
  description: "New projects and keys of the caller belong to the active team.",
  tag: "Teams",
  access: { member: "team.view" },
  params: TeamParams,
  response: {
    status: 200,
    schema: z.object({ default_team_id: z.uuid(), theme_preset: z.string().nullable() }),
  },
  async handler({ services, caller }) {
    const { defaultTeamId, themePreset } = await teams.switchTeam(services, caller);
    return { default_team_id: defaultTeamId, theme_preset: themePreset };
  },
});
