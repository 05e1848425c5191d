import type { Endpoint } from "#src/http/endpoint.ts";
import { createLink } from "./create-link.ts";
import { inviteMember } from "./invite.ts";
import { listMembers } from "./list.ts";
import { removeMember } from "./remove.ts";
import { updateMember } from "./update.ts";

export const memberEndpoints: readonly Endpoint[] = [
  listMembers,
  inviteMember,
  createLink,
  updateMember,
  removeMember,
];
