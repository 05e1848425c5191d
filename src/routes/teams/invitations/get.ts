import { z } from "zod";
import { showInvitation } from "#src/domain/organisations/invitations/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { Moment } from "#src/http/schemas.ts";
import { Role } from "../../members.ts";
import { InvitationKind, TokenParams } from "./invitation.ts";

const Shown = z
  .object({
    team_name: z.string(),
    inviter_name: z.string().nullable(),
    role: Role.describe("Role in the team after accepting"),
    kind: InvitationKind,
    email: z.string().nullable().describe("Email address that may accept, mostly hidden; null for a link"),
    expires_at: Moment,
  })
  .meta({ id: "ShownInvitation" });

export const getInvitation = endpoint({
  operationId: "getInvitation",
  method: "get",
  path: "/api/teams/invitations/:token",
  summary: "Get an invitation",
  description: "Shows the holder of an invitation's token which team it is for.",
  tag: "Teams",
  access: "public",
  params: TokenParams,
  refusals: [404, 410],
  response: { status: 200, schema: Shown },
  async handler({ services, params }) {
    const shown = await showInvitation(services, params.token);
    return {
      team_name: shown.teamName,
      inviter_name: shown.inviterName,
      role: shown.role,
      kind: shown.kind,
      email: shown.email,
      expires_at: shown.expiresAt.toISOString(),
    };
  },
});
