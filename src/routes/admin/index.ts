import type { Endpoint } from "#src/http/endpoint.ts";
import { adjustCredits } from "./adjust-credits.ts";
import { disableUser } from "./disable-user.ts";
import { enableUser } from "./enable-user.ts";
import { listActions } from "./list-actions.ts";
import { listUsers } from "./list-users.ts";

export const adminEndpoints: readonly Endpoint[] = [
  listUsers,
  disableUser,
  enableUser,
  adjustCredits,
  listActions,
];
