import { onTestFinished } from "vitest";
import { openFiles } from "#src/domain/workspaces/files/index.ts";
import { saveProject } from "#src/domain/workspaces/lifecycle/index.ts";
import type { Log } from "#src/platform/log/log.ts";
import type { QueueMessage } from "#src/platform/queue/queue.ts";
import type { openDatabase } from "#test/support/database.ts";
import { fieldsOf } from "#test/support/fields.ts";
import { newWorkshop } from "./workshop.ts";

type Database = Awaited<ReturnType<typeof openDatabase>>;

/** A project whose queue delivers by itself and at once, with what it published and logged as errors. */
export async function newLivingProject({ db, trips }: Pick<Database, "db" | "trips">) {
  const project = await newWorkshop(db);
  const errors: string[] = [];
  const log: Log = { info() {}, warn() {}, error: (message) => void errors.push(message), with: () => log };
  const published: QueueMessage[] = [];
  let delivering = Promise.resolve();
  async function publish(message: QueueMessage) {
    published.push(message);
    const isSave = message.function === "save-project";
    delivering = delivering.then(() => (isSave ? saveProject(deps, project.id) : project.settle(deps)));
  }
  const deps = {
    ...project.deps,
    log,
    queue: {
      publish,
      async publishBatch(messages: readonly QueueMessage[]) {
        const own = messages.filter(({ payload }) => {
          const { projectId, key } = fieldsOf(payload);
          return [projectId, key].includes(project.id);
        });
        for (const message of own) await publish(message);
      },
      ensureSchedule: async () => {},
      answers: async () => true,
    },
  };
  const delivered = async () => {
    for (let last; last !== delivering;) await (last = delivering);
  };
  // What is still being delivered would find the database of the file closed.
  onTestFinished(delivered);
  return {
    ...project,
    deps,
    errors,
    published,
    read: async () => {
      const { runtime } = await openFiles(deps, project.caller, project.id);
      const bytes = await runtime.readFile("a.txt");
      return bytes && new TextDecoder().decode(bytes);
    },
    write: (text: string) => project.runtime.writeFile("a.txt", new TextEncoder().encode(text)),
    /** Resolves when all that was published is delivered. */
    delivered,
    /** What a call costs, and how it ends. */
    cost: async (call: () => Promise<unknown>) => {
      const before = { db: trips.db, published: published.length };
      const end = await call().catch((error: unknown) => error);
      return { end, db: trips.db - before.db, published: published.length - before.published };
    },
    /** Lets this much time pass for the project's row. */
    pass: async (minutes: number) => {
      const row = await project.row();
      const earlier = (moment: Date | null) => moment && new Date(moment.getTime() - minutes * 60_000);
      await project.change({
        createdAt: earlier(row.createdAt) ?? row.createdAt,
        setUpAt: earlier(row.setUpAt),
        startedAt: earlier(row.startedAt),
        lastActivity: earlier(row.lastActivity),
        idleWarnedAt: earlier(row.idleWarnedAt),
        failedAt: earlier(row.failedAt),
        saveAskedAt: earlier(row.saveAskedAt),
      });
    },
  };
}

export type LivingProject = Awaited<ReturnType<typeof newLivingProject>>;
