import type { SQL } from "drizzle-orm";
import { chats, projects, tasks } from "#src/db/schema/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";

/** The agent that a new installation has. */
const DEFAULT_AGENT = "00000000-0000-0000-0000-000000000005";

type Columns = Omit<typeof tasks.$inferInsert, "id" | "chatId">;
type Values = { [Name in keyof Columns]?: Columns[Name] | SQL } & Pick<Columns, "status">;

/** Stores a task as its row alone, in a project and a chat of its own. Returns its id and that of the chat. */
export async function storeTask(
  db: Db,
  user: { id: string; defaultTeamId: string | null },
  values: Values,
): Promise<{ taskId: string; chatId: string }> {
  const [taskId, projectId, chatId] = [newId(), newId(), newId()];
  await db.insert(projects).values({
    id: projectId,
    teamId: String(user.defaultTeamId),
    ownerId: user.id,
    name: "p",
    slug: projectId,
    sourceType: "empty",
    status: "stopped",
  });
  await db.insert(chats).values({ id: chatId, userId: user.id, projectId, origin: "api" });
  await db.insert(tasks).values({
    id: taskId,
    userId: user.id,
    projectId,
    chatId,
    agentId: DEFAULT_AGENT,
    origin: "api",
    source: { kind: "api" },
    message: "m",
    ...values,
  });
  return { taskId, chatId };
}
