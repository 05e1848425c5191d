import { z } from "zod";
import type { Invitation as Row } from "#src/domain/organisations/invitations/index.ts";
import { Moment } from "#src/http/schemas.ts";
import { Role } from "../../members.ts";

/** The last part of the invitation's address, which only the invited person has. */
export const TokenParams = z.object({ token: z.string().describe("Last part of the invitation's address") });

export const InvitationKind = z
  .enum(["email", "link"])
  .describe("`email`: for the account with that address; `link`: for any account");

/** An invitation as the team's administrators see it. Lists and the response of the creation extend it. */
export const Invitation = z.object({
  id: z.uuid(),
  kind: InvitationKind,
  email: z.string().nullable().describe("The only email address that may accept; null for a link"),
  role: Role,
  max_uses: z.int().nullable().describe("null for no limit"),
  uses: z.int(),
  invited_by_id: z.uuid().nullable(),
  expires_at: Moment,
  created_at: Moment,
});

export function describeInvitation(invitation: Row): z.input<typeof Invitation> {
  return {
    id: invitation.id,
    kind: invitation.kind,
    email: invitation.email,
    role: invitation.role,
    max_uses: invitation.maxUses,
    uses: invitation.uses,
    invited_by_id: invitation.invitedBy,
    expires_at: invitation.expiresAt.toISOString(),
    created_at: invitation.createdAt.toISOString(),
  };
}
