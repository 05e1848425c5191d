import { z } from "zod";
import * as teams from "#src/domain/organisations/teams/index.ts";
import { cancelSubscriptionsWithoutTeam } from "#src/domain/billing/subscriptions/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { TeamParams } from "./team.ts";

export const deleteTeam = endpoint({
  operationId: "deleteTeam",
  method: "delete",
  path: "/api/teams/:team",
  summary: "Delete a team",
  description: "Cancels what it subscribed to. Refused for a personal team and for a team with projects.",
  tag: "Teams",
  access: { member: "team.delete" },
  params: TeamParams,
  refusals: [400, 409],
  response: { status: 204, schema: z.null() },
  async handler({ services, caller, client }) {
    await teams.deleteTeam(services, caller, client);
    await cancelSubscriptionsWithoutTeam(services);
    return null;
  },
});
