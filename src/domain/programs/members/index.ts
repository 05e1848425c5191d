export { changeRole } from "./change-role.ts";
export { listMembers } from "./list-members.ts";
export { type Member } from "./queries.ts";
export { leaveTeam, removeMember } from "./remove-member.ts";
