import { answeredTasks } from "#src/domain/agent-work/approvals/queries.ts";
import { projectsWithExcess } from "#src/domain/workspaces/archives/queries.ts";
import { deleteForgotten } from "#src/domain/agent-work/attachments/queries.ts";
import { unsettledCheckouts } from "#src/domain/billing/checkouts/queries/checkouts.ts";
import { releaseExpired } from "#src/domain/metering/credits/index.ts";
import {
  endBonuses,
  fillBundledCredits,
  fillDailyCredits,
} from "#src/domain/metering/credits/queries/pools.ts";
import { storeOverduePayouts } from "#src/domain/billing/payouts/queries/payouts.ts";
import { paymentsToReview } from "#src/domain/billing/reversals/queries/payments-to-review.ts";
import {
  subscriptionsDue,
  subscriptionsWithoutTeam,
} from "#src/domain/billing/subscriptions/queries/read.ts";
import {
  forgetIdleWarnings,
  hibernateIdleProjects,
  projectsToSave,
  projectsWithPrograms,
  wantLostPrograms,
  warnIdleProjects,
} from "#src/domain/workspaces/lifecycle/queries/sweep.ts";
import { forgetOldRows } from "#src/domain/operations/retention/index.ts";
import { closeStaleSessions } from "#src/domain/workspaces/shells/queries.ts";
import { deleteExpiredIdempotencyKeys } from "#src/domain/agent-work/tasks/queries/start.ts";
import { revokedKeysWithTasks, staleQueuedTasks } from "#src/domain/agent-work/tasks/queries/unfinished.ts";
import { keptPrefixes } from "#src/domain/hosting/deployments/queries/bundles.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { Request } from "./request.ts";
import { dueJobs } from "#src/work/queries.ts";

const BATCH = 100;
/** Always-on projects by tier. */
const PLACES = { free: 1, basic: 3, pro: 5, ultra: 20 };
const RUNNING = { up: "running", most: PLACES, limit: BATCH } as const;
const NOT_STARTED = { ...RUNNING, up: "notStarted" } as const;
const log: Log = { info() {}, warn() {}, error() {}, with: () => log };

/** Each team receives its credits once a day, so the sweep reads every team at most once an hour. */
const ALL_TEAMS = "every team is looked at";

/** Work of the service itself, every minute or night. Here it finds nothing to do, or equally much at every size. */
export const SWEEPS: readonly Request[] = [
  { name: "warnings that hold no more", run: (db) => forgetIdleWarnings(db) },
  { name: "projects to warn", run: (db) => warnIdleProjects(db, 60, RUNNING) },
  { name: "projects to warn, never started", run: (db) => warnIdleProjects(db, 60, NOT_STARTED) },
  { name: "projects to hibernate", run: (db) => hibernateIdleProjects(db, 5, RUNNING) },
  {
    name: "projects to hibernate, never started",
    run: (db) => hibernateIdleProjects(db, 5, NOT_STARTED),
  },
  { name: "projects to save", run: (db) => projectsToSave(db, BATCH) },
  { name: "lost programs", run: (db) => wantLostPrograms(db, BATCH) },
  { name: "programs to look after", run: (db) => projectsWithPrograms(db, BATCH) },
  { name: "queued tasks", run: (db) => staleQueuedTasks(db, BATCH) },
  { name: "tasks of revoked keys", run: (db) => revokedKeysWithTasks(db, BATCH) },
  { name: "answered approvals", run: (db) => answeredTasks(db, BATCH) },
  {
    name: "jobs",
    run: (db) =>
      dueJobs(db, ["deliver-callback", "clone-repository", "run-deployment"], {
        seconds: 5,
        sharingSeconds: 60,
        limit: BATCH,
      }),
  },
  { name: "idempotency keys", run: (db) => deleteExpiredIdempotencyKeys(db) },
  {
    name: "idle shells",
    run: (db) => closeStaleSessions(db, { idleMinutes: 30, maxHours: 8, limit: BATCH }),
  },
  {
    name: "files of deployments, nightly",
    run: (db) => keptPrefixes(db, ["deployments/none/none/"]),
    showsOthers: "every deployment is looked at, once a night",
  },
  { name: "forgotten uploads", run: (db) => deleteForgotten(db, BATCH) },
  { name: "reservations", run: (db) => releaseExpired({ db }) },
  {
    name: "snapshots to prune, nightly",
    showsOthers: "all of them are ranked, once a night",
    run: (db) => projectsWithExcess(db, { count: 20, days: 90 }),
  },
  { name: "expired bonuses, hourly", run: (db) => endBonuses(db), showsOthers: ALL_TEAMS },
  {
    name: "credits of the month, hourly",
    run: (db) => fillBundledCredits(db, { basic: 1, pro: 1, ultra: 1 }),
    showsOthers: ALL_TEAMS,
  },
  { name: "credits of the day, hourly", run: (db) => fillDailyCredits(db, 5), showsOthers: ALL_TEAMS },
  { name: "unsettled checkouts, hourly", run: (db) => unsettledCheckouts(db, { minutes: 10, limit: BATCH }) },
  {
    name: "payments to review, hourly",
    run: (db) => paymentsToReview(db, BATCH),
    showsOthers: "every payment of half a year is looked at",
  },
  { name: "subscriptions of deleted teams, hourly", run: (db) => subscriptionsWithoutTeam(db, BATCH) },
  {
    name: "subscriptions to ask about, hourly",
    run: (db) => subscriptionsDue(db, { graceDays: 7, limit: BATCH }),
    showsOthers: "every current subscription is looked at",
  },
  { name: "shares to transfer, hourly", run: (db) => storeOverduePayouts(db, BATCH) },
  {
    name: "old rows",
    run: (db) => forgetOldRows({ db, log, config: { AUDIT_LOG_RETENTION_DAYS: 365 } }),
  },
];
