import { eq } from "drizzle-orm";
import { afterAll, describe, expect, it } from "vitest";
import { tasks } from "#src/db/schema/index.ts";
import { createProject } from "#src/domain/workspaces/projects/index.ts";
import { startTask, type StartTask } from "#src/domain/agent-work/tasks/index.ts";
import type { Services } from "#src/services.ts";
import { newColleague, newMember } from "#test/support/colleagues.ts";
import { openDatabase } from "#test/support/database.ts";
import { messageToAgent, NO_AGENT_LIMITS } from "#test/support/message-to-agent.ts";
import { fieldsOf } from "#test/support/fields.ts";
import { partOf } from "#test/support/part-of.ts";

const database = await openDatabase();
afterAll(() => database.close());

const LIMIT = 5;
const AT_ONCE = 20;

/** Start as many at once, with this limit alone. Returns how many were accepted and how many refused for want of room. */
async function atOnce(
  limit: keyof typeof NO_AGENT_LIMITS,
  messageOf: (index: number) => Pick<StartTask, "userId" | "projectId"> & Partial<StartTask>,
) {
  const deps = partOf<Services>({
    db: database.db,
    config: { DEFAULT_MODEL: "demo", ...NO_AGENT_LIMITS, [limit]: LIMIT },
    modelSettings: { platformModels: ["demo"] },
    queue: { publish: async () => {} },
  });
  const started = await Promise.allSettled(
    Array.from({ length: AT_ONCE }, (_, index) => startTask(deps, messageToAgent(messageOf(index)))),
  );
  const taken = started.filter(({ status }) => status === "fulfilled").length;
  const codes = started.flatMap((each) =>
    each.status === "rejected" ? [fieldsOf(each.reason)["code"]] : [],
  );
  return { taken, refused: codes.filter((code) => code === "rate_limited").length };
}

const EXACTLY = { taken: LIMIT, refused: AT_ONCE - LIMIT };
const app = { name: "app", description: "", sourceType: "empty" } as const;

describe("of many messages at once exactly so many are taken as there is room for", () => {
  it("with one person in several projects", async () => {
    const { id: userId, caller } = await newColleague(database.db);
    const projects = await Promise.all([1, 2, 3].map(() => createProject(database, caller, app)));
    const projectOf = (index: number) => projects[index % projects.length]?.id ?? "";
    const outcome = await atOnce("USER_MAX_CONCURRENT_AGENTS", (index) => ({
      userId,
      projectId: projectOf(index),
    }));
    expect(outcome).toEqual(EXACTLY);
    expect(await database.db.select().from(tasks).where(eq(tasks.userId, userId))).toHaveLength(LIMIT);
  });

  it("with several people in one project", async () => {
    const { db } = database;
    const owner = await newColleague(db);
    const { id: projectId, teamId } = await createProject(database, owner.caller, app);
    const people = [owner.id];
    for (let each = 0; each < 3; each += 1) people.push((await newMember(db, teamId, "editor")).id);
    const outcome = await atOnce("PROJECT_MAX_CONCURRENT_AGENTS", (index) => ({
      userId: people[index % people.length] ?? "",
      projectId,
    }));
    expect(outcome).toEqual(EXACTLY);
  });

  it("with one person's messages of ten seconds, though they go to one chat", async () => {
    const { id: userId, caller } = await newColleague(database.db);
    const { id: projectId } = await createProject(database, caller, app);
    const message = { userId, projectId, chat: { kind: "latest" } } as const;
    expect(await atOnce("USER_ENQUEUE_RATE_PER_10S", () => message)).toEqual(EXACTLY);
  });
});
