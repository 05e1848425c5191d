import { z } from "zod";
import { deleteTeam as remove } from "#src/domain/teams/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { TeamParams } from "./team.ts";

export const deleteTeam = endpoint({
  method: "delete",
  path: "/api/teams/:team",
  summary: "Delete a team that has no projects and is nobody's personal one",
  tag: "Teams",
  access: { member: "team.delete" },
  params: TeamParams,
  refusals: [400, 409],
  response: { status: 204, schema: z.null() },
  async handler({ services, caller, client }) {
    await remove(services, caller, client);
    return null;
  },
});
