import type { Endpoint } from "#src/http/endpoint.ts";
import { createTeam } from "./create.ts";
import { deleteTeam } from "./delete.ts";
import { getTeam } from "./get.ts";
import { invitationEndpoints } from "./invitations/index.ts";
import { leaveTeam } from "./leave.ts";
import { listTeams } from "./list.ts";
import { memberEndpoints } from "./members/index.ts";
import { switchTeam } from "./switch.ts";
import { updateTeam } from "./update.ts";

/** The literal path `/api/teams/invitations` comes first; no team has this slug. */
export const teamEndpoints: readonly Endpoint[] = [
  ...invitationEndpoints,
  listTeams,
  createTeam,
  getTeam,
  updateTeam,
  deleteTeam,
  switchTeam,
  leaveTeam,
  ...memberEndpoints,
];
