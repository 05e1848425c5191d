import { messageToAgent, NO_AGENT_LIMITS } from "#test/support/message-to-agent.ts";
import { eq, sql } from "drizzle-orm";
import { afterAll, expect, it } from "vitest";
import { externalApiKeys, tasks } from "#src/db/schema/index.ts";
import { createApiKey, revokeApiKey } from "#src/domain/organisations/api-keys/index.ts";
import { createProject } from "#src/domain/workspaces/projects/index.ts";
import { startTask, sweepTasks } from "#src/domain/agent-work/tasks/index.ts";
import { createLog } from "#src/platform/log/log.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import { newColleague, type Colleague } from "#test/support/colleagues.ts";
import { openDatabase } from "#test/support/database.ts";
import { CLIENT, sessionDeps } from "#test/support/people.ts";

const database = await openDatabase();
afterAll(() => database.close());

const published: QueueMessage[] = [];
/** Nothing is launched here. */
const down = () => Promise.reject(new Error("not launched"));
const deps = () => ({
  ...sessionDeps(database.db),
  log: createLog(),
  taskLogs: {
    open: down,
    begin: down,
    ping: down,
    append: down,
    endStep: down,
    park: down,
    unpark: down,
    release: down,
    close: down,
    requestStop: down,
    lastEvent: down,
    stream: down,
  },
  queue: {
    publish: down,
    publishBatch: async (messages: readonly QueueMessage[]) => void published.push(...messages),
    ensureSchedule: down,
    answers: down,
  },
});

/** A key and a task that it started. */
async function newTask({ caller, id: userId }: Colleague) {
  const wish = { name: "app", description: "", sourceType: "empty" } as const;
  const { id: projectId } = await createProject(database, caller, wish);
  const { key } = await createApiKey(
    deps(),
    caller,
    {
      name: "key",
      scopes: null,
      projectIds: null,
      expiresAt: null,
    },
    CLIENT,
  );
  const started = startTask(
    {
      ...deps(),
      config: { DEFAULT_MODEL: "demo", ...NO_AGENT_LIMITS },
      modelSettings: { platformModels: ["demo"] },
    },
    messageToAgent({ userId, apiKeyId: key.id, projectId }),
  );
  await expect(started).rejects.toThrow("not launched");
  return key.id;
}

const setRevoked = (keyId: string, interval: string) =>
  database.db
    .update(externalApiKeys)
    .set({ revokedAt: sql`now() - ${interval}::interval` })
    .where(eq(externalApiKeys.id, keyId));

it("the sweep ends what revoked keys started, where the request that revoked them died before it could", async () => {
  const owner = await newColleague(database.db);
  const [lost, recent, over] = [await newTask(owner), await newTask(owner), await newTask(owner)];
  await newTask(owner);
  for (const keyId of [lost, recent, over]) {
    await expect(
      revokeApiKey({ ...deps(), queue: { publishBatch: down } }, owner.id, keyId, CLIENT),
    ).rejects.toThrow("not launched");
  }
  await setRevoked(lost, "1 minute");
  await setRevoked(over, "1 minute");
  await database.db.update(tasks).set({ status: "failed" }).where(eq(tasks.apiKeyId, over));

  await sweepTasks(deps());
  expect(published).toEqual([{ function: "stop-tasks", payload: { keyId: lost } }]);
});
