import { and, eq, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import {
  channelMessages,
  deployments,
  deploymentSites,
  jobs,
  projects,
  repositories,
  scheduleRuns,
  schedules,
  stripeEvents,
  tasks,
  type DeploymentSettings,
} from "#src/db/schema/index.ts";
import { storeMissingJobs } from "#src/domain/administration/jobs/index.ts";
import { newId } from "#src/lib/ids.ts";
import { PlatformRows } from "#test/domain/messaging/support/people-of-platforms.ts";
import { fileDatabase } from "#test/support/database.ts";
import { partOf } from "#test/support/part-of.ts";
import { newPerson } from "#test/support/people.ts";
import { storeTask } from "#test/support/stored-task.ts";

const { db } = await fileDatabase();

it("what the version before left to be done, which had no jobs, gets them; what is over, or has one, does not", async () => {
  const { user } = await newPerson(db);
  const ended = { status: "completed", completedAt: sql`now() - interval '1 hour'` } as const;
  const pending = { ...ended, webhookUrl: "https://receiver.test", callbackStatus: "pending" } as const;
  const { taskId } = await storeTask(db, user, pending);
  const [{ projectId } = { projectId: "" }] = await db.select().from(tasks).where(eq(tasks.id, taskId));
  const known = await storeTask(db, user, pending);
  await storeTask(db, user, { ...pending, callbackStatus: "delivered" });
  await storeTask(db, user, { ...pending, completedAt: sql`now()` });
  await db.insert(repositories).values({
    projectId,
    id: newId(),
    repoUrl: "https://git.test/a/b",
    repoOwner: "a",
    repoName: "b",
    defaultBranch: "",
    userId: user.id,
    syncStatus: "cloning",
  });
  const wanted = { wanted: "hibernated" } as const;
  await db.update(projects).set(wanted).where(eq(projects.id, projectId));
  const [another] = await db.select().from(tasks).where(eq(tasks.id, known.taskId));
  // An executor of the version before is at work.
  await db
    .update(projects)
    .set({ ...wanted, leaseUntil: sql`now() + interval '1 hour'` })
    .where(eq(projects.id, another?.projectId ?? ""));
  const createdAt = sql`now() - interval '1 hour'`;
  await db.insert(stripeEvents).values([
    { id: "evt_1", type: "charge.refunded", createdAt },
    { id: "evt_2", type: "charge.refunded", createdAt, status: "done" },
  ]);
  const rows = new PlatformRows(db);
  const channel = await rows.channel(user);
  const message = {
    channelConfigId: channel.id,
    direction: "outbound",
    jid: "telegram:5",
    content: "Hi",
  } as const;
  const [dead, waiting] = [newId(), newId()];
  await db.insert(channelMessages).values([
    { ...message, id: dead, status: "pending", sendingSince: createdAt, nextAttemptAt: createdAt },
    { ...message, id: waiting, status: "pending", nextAttemptAt: sql`now() + interval '1 hour'`, createdAt },
    { ...message, id: newId(), status: "failed", createdAt },
    { ...message, id: newId(), status: "pending" },
  ]);
  const scheduleId = newId();
  await db.insert(schedules).values({
    id: scheduleId,
    userId: user.id,
    name: "Issues",
    schedule: "every 15m",
    normalizedCron: "*/15 * * * *",
    timing: { kind: "interval", minutes: 15 },
    timezone: "UTC",
    anchorAt: new Date(),
    promptTemplate: "Summarise the open issues",
    deliver: "none",
    editMode: "allow",
  });
  const [run, over, recent] = [newId(), newId(), newId()];
  await db.insert(scheduleRuns).values([
    { id: newId(), scheduleId, taskId: run, status: "waiting", createdAt },
    { id: newId(), scheduleId, taskId: over, status: "success", createdAt },
    { id: newId(), scheduleId, taskId: recent, status: "enqueued" },
  ]);
  const at = { projectId, userId: user.id, provider: "vercel" } as const;
  const [site] = await db
    .insert(deploymentSites)
    .values({
      ...at,
      id: newId(),
      madeFor: projectId,
      account: "a",
      isStandin: true,
      name: "a",
      lastVersion: 4,
    })
    .returning();
  const deployment = {
    ...at,
    siteId: site?.id ?? "",
    mode: "pre-built",
    settings: partOf<DeploymentSettings>({}),
  } as const;
  const [left, held, deployed, fresh] = [newId(), newId(), newId(), newId()];
  await db.insert(deployments).values([
    { ...deployment, id: left, version: 1, createdAt, leaseUntil: createdAt },
    { ...deployment, id: held, version: 2, createdAt, leaseUntil: sql`now() + interval '1 hour'` },
    { ...deployment, id: deployed, version: 3, createdAt, status: "success" },
    { ...deployment, id: fresh, version: 4 },
  ]);
  await db.insert(jobs).values({ kind: "deliver-callback", key: known.taskId, payload: {}, attempts: 3 });

  for (let time = 0; time < 2; time += 1) await storeMissingJobs({ db });

  const stored = await db.select().from(jobs).orderBy(jobs.kind, jobs.attempts);
  expect(stored).toMatchObject([
    { kind: "advance-run", key: run, payload: { taskId: run } },
    { kind: "clone-repository", key: projectId, payload: { projectId } },
    { kind: "deliver-callback", key: taskId, payload: { taskId }, share: user.id, attempts: 0 },
    { kind: "deliver-callback", key: known.taskId, attempts: 3 },
    { kind: "deliver-outbox-message", key: dead, payload: { messageId: dead }, share: user.id },
    { kind: "handle-stripe-event", key: "evt_1", payload: { eventId: "evt_1" } },
    { kind: "run-deployment", key: left, payload: { deploymentId: left } },
    { kind: "settle-project", key: projectId, payload: { projectId } },
  ]);
  expect(stored).toHaveLength(8);
  // Its executor has died, so the platform may have it.
  expect(await db.$count(channelMessages, and(eq(channelMessages.id, dead), channelMessages.mayBeSent))).toBe(
    1,
  );
});
