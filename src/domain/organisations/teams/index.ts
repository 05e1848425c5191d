export { createTeam } from "./create-team.ts";
export { deleteTeam } from "./delete-team.ts";
export { listTeams } from "./list-teams.ts";
export { insertPersonalTeam, leaveDefaultTeam, type OwnTeam } from "./queries.ts";
export { requireOwnTeam } from "./require-own-team.ts";
export { requireTeam, type MemberCaller, type Membership } from "./require-team.ts";
export { switchTeam } from "./switch-team.ts";
export { updateTeam } from "./update-team.ts";
export { whileTeamExists } from "./while-team-exists.ts";
