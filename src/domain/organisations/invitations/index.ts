export { acceptInvitation } from "./accept-invitation.ts";
export { createLink } from "./create-link.ts";
export { inviteMember } from "./invite-member.ts";
export { listInvitations } from "./list-invitations.ts";
export { revokeInvitationsOf, revokeLinksAbove, type Invitation } from "./queries.ts";
export { revokeInvitation } from "./revoke-invitation.ts";
export { showInvitation } from "./show-invitation.ts";
