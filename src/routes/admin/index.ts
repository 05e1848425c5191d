import type { Endpoint } from "#src/http/endpoint.ts";
import { adjustCredits } from "./adjust-credits.ts";
import { disableUser } from "./disable-user.ts";
import { enableUser } from "./enable-user.ts";
import { listActions } from "./list-actions.ts";
import { listPaymentEvents } from "./list-payment-events.ts";
import { listUsers } from "./list-users.ts";
import { retryPaymentEvent } from "./retry-payment-event.ts";

export const adminEndpoints: readonly Endpoint[] = [
  listUsers,
  disableUser,
  enableUser,
  adjustCredits,
  listActions,
  listPaymentEvents,
  retryPaymentEvent,
];
