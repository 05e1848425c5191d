export { acceptInvitation } from "./accept-invitation.ts";
export { createLink } from "./create-link.ts";
export { inviteMember } from "./invite-member.ts";
export { revokeInvitationsOf } from "./queries.ts";
export { showInvitation } from "./show-invitation.ts";
export { listInvitations, revokeInvitation, type ListedInvitation } from "./team-invitations.ts";
