export { createTeam } from "./create-team.ts";
export { deleteTeam } from "./delete-team.ts";
export { listTeams, requireOwnTeam } from "./own-teams.ts";
export { insertPersonalTeam, leaveDefaultTeam, lockTeam, type OwnTeam } from "./queries.ts";
export { requireTeam, type MemberCaller, type Membership } from "./require-team.ts";
export { switchTeam } from "./switch-team.ts";
export { updateTeam } from "./update-team.ts";
export { whileTeamExists } from "./while-team-exists.ts";
