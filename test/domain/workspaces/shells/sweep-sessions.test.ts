import { eq, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { chats, shellSessions } from "#src/db/schema/index.ts";
import { openSessionsOf } from "#src/domain/workspaces/shells/queries.ts";
import { sweepSessions } from "#src/domain/workspaces/shells/index.ts";
import { newId } from "#src/lib/ids.ts";
import { createLog } from "#src/platform/log/log.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { newColleague, newProject } from "#test/support/colleagues.ts";
import { fileDatabase } from "#test/support/database.ts";
import { partOf } from "#test/support/part-of.ts";

const database = await fileDatabase();

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

it("sessions end that are unused for too long, are too old, or whose chat is archived or deleted", async () => {
  const { db } = database;
  const person = await newColleague(db);
  const userId = person.id;
  const { id: projectId } = await newProject(db, person);
  const newChat = async () => {
    const id = newId();
    await db.insert(chats).values({ id, userId, projectId, origin: "browser" });
    return id;
  };
  const open = async (fields: Partial<typeof shellSessions.$inferInsert> = {}) => {
    const id = newId();
    const session = { id, projectId, userId, command: "sh", workingDir: "/app", status: "active" } as const;
    await db.insert(shellSessions).values({ ...session, ...fields });
    return id;
  };
  const [archived, deleted] = [await newChat(), await newChat()];
  const stale = [
    await open({ lastActivityAt: minutesAgo(31) }),
    await open({ createdAt: minutesAgo(8 * 60 + 1) }),
    await open({ chatId: archived }),
    await open({ chatId: deleted }),
  ];
  const kept = [
    await open({ lastActivityAt: minutesAgo(28), createdAt: minutesAgo(8 * 60 - 2) }),
    await open({ chatId: await newChat() }),
  ];
  await db.update(chats).set({ status: "archived" }).where(eq(chats.id, archived));
  await db.execute(sql`DELETE FROM chats WHERE id = ${deleted}`);

  const closed: string[] = [];
  const runtime = partOf<ProjectRuntime>({ closeShell: async (id) => void closed.push(id) });
  await sweepSessions({
    db,
    workspaces: { runtime: () => runtime },
    log: createLog(),
    config: { SHELL_IDLE_MINUTES: 30, SHELL_MAX_HOURS: 8 },
  });
  expect(closed.toSorted()).toEqual(stale.toSorted());
  const left = await openSessionsOf(db, userId, undefined);
  expect(left.map(({ id }) => id).toSorted()).toEqual(kept.toSorted());
});
