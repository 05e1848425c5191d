import type { Endpoint } from "#src/http/endpoint.ts";
import { adjustCredits } from "./adjust-credits.ts";
import { disableUser } from "./disable-user.ts";
import { dropJob } from "./drop-job.ts";
import { enableUser } from "./enable-user.ts";
import { listActions } from "./list-actions.ts";
import { listJobs } from "./list-jobs.ts";
import { listPaymentEvents } from "./list-payment-events.ts";
import { listUsers } from "./list-users.ts";
import { retryJob, retryJobsOfKind } from "./retry-job.ts";
import { retryPaymentEvent } from "./retry-payment-event.ts";
import { turnOffAuthenticator } from "./turn-off-authenticator.ts";

export const adminEndpoints: readonly Endpoint[] = [
  listUsers,
  disableUser,
  enableUser,
  turnOffAuthenticator,
  adjustCredits,
  listActions,
  listPaymentEvents,
  retryPaymentEvent,
  listJobs,
  retryJob,
  retryJobsOfKind,
  dropJob,
];
