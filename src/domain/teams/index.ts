export { insertPersonalTeam } from "./queries.ts";
export { requireTeam, type Membership } from "./require-team.ts";
