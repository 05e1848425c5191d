import { eq, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import {
  deployments,
  deploymentSites,
  jobs,
  repositories,
  stripeEvents,
  tasks,
  type DeploymentSettings,
} from "#src/db/schema/index.ts";
import { storeMissingJobs } from "#src/domain/operations/jobs/index.ts";
import { newId } from "#src/lib/ids.ts";
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
  const createdAt = sql`now() - interval '1 hour'`;
  await db.insert(stripeEvents).values([
    { id: "evt_1", type: "charge.refunded", createdAt },
    { id: "evt_2", type: "charge.refunded", createdAt, status: "done" },
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
  const [waiting, held, over, fresh] = [newId(), newId(), newId(), newId()];
  await db.insert(deployments).values([
    { ...deployment, id: waiting, version: 1, createdAt, leaseUntil: createdAt },
    { ...deployment, id: held, version: 2, createdAt, leaseUntil: sql`now() + interval '5 seconds'` },
    { ...deployment, id: over, version: 3, createdAt, status: "success" },
    { ...deployment, id: fresh, version: 4 },
  ]);
  await db.insert(jobs).values({ kind: "deliver-callback", key: known.taskId, payload: {}, attempts: 3 });

  for (let time = 0; time < 2; time += 1) await storeMissingJobs({ db });

  const stored = await db.select().from(jobs).orderBy(jobs.kind, jobs.attempts);
  expect(stored).toMatchObject([
    { kind: "clone-repository", key: projectId, payload: { projectId } },
    { kind: "deliver-callback", key: taskId, payload: { taskId }, share: user.id, attempts: 0 },
    { kind: "deliver-callback", key: known.taskId, attempts: 3 },
    { kind: "handle-stripe-event", key: "evt_1", payload: { eventId: "evt_1" } },
    { kind: "run-deployment", key: waiting, payload: { deploymentId: waiting } },
  ]);
  expect(stored).toHaveLength(5);
});
