import type { Endpoint } from "#src/http/endpoint.ts";
import { acceptInvitation } from "./accept.ts";
import { getInvitation } from "./get.ts";
import { listInvitations } from "./list.ts";
import { revokeInvitation } from "./revoke.ts";

export const invitationEndpoints: readonly Endpoint[] = [
  getInvitation,
  acceptInvitation,
  listInvitations,
  revokeInvitation,
];
