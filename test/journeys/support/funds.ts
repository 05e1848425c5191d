import { and, eq, inArray } from "drizzle-orm";
import { chats, messages, tasks, teams, usageLogs, users } from "#src/db/schema/index.ts";
import { databaseOf } from "#test/support/database.ts";
import { onlyCredits } from "#test/support/proxy-client.ts";
import type { TestService } from "#test/support/service.ts";
import { newTaskClient, type TaskClient } from "#test/support/task-client.ts";

type Person = Pick<TaskClient, "account">;

/** What people of a service have to spend, and what it says that they spent. */
export function fundsIn(service: TestService) {
  const db = databaseOf(service);
  /** The client's team, and a way to set its credits to so many cents. */
  const fundsOf = async ({ account }: Person) => {
    const [user] = await db.select().from(users).where(eq(users.id, account.id));
    const teamId = String(user?.defaultTeamId);
    const fund = (purchasedCredits: number) =>
      db.update(teams).set(onlyCredits(purchasedCredits)).where(eq(teams.id, teamId));
    return { fund, teamId };
  };
  return {
    fundsOf,
    /** A person with a project, and so many cents. */
    async clientWith(credits: number) {
      const client = await newTaskClient(service);
      const funds = await fundsOf(client);
      await funds.fund(credits);
      return { ...client, ...funds };
    },
    /** How many chats, tasks and messages the person has. */
    async rowsOf({ account }: Person) {
      const own = eq(chats.userId, account.id);
      const ofOwn = inArray(messages.chatId, db.select({ id: chats.id }).from(chats).where(own));
      return [
        await db.$count(chats, own),
        await db.$count(tasks, eq(tasks.userId, account.id)),
        await db.$count(messages, ofOwn),
      ];
    },
    callsOf: ({ account }: Person) => db.select().from(usageLogs).where(eq(usageLogs.userId, account.id)),
    callsOfTask: (taskId: string) =>
      db
        .select()
        .from(usageLogs)
        .where(and(eq(usageLogs.taskId, taskId), eq(usageLogs.purpose, "agent")))
        .orderBy(usageLogs.iteration),
  };
}
