import { and, eq, notInArray } from "drizzle-orm";
import { subscriptions } from "#src/db/schema/index.ts";
import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import type { Client } from "#src/lib/client.ts";
import type { Db } from "#src/platform/db/client.ts";

/** Whether a team has this subscription, and it is not over. */
export async function isCurrentOfTeam(db: Db, teamId: string, subscriptionId: string): Promise<boolean> {
  const rows = await db
    .select({ id: subscriptions.id })
    .from(subscriptions)
    .where(
      and(
        eq(subscriptions.subscriptionId, subscriptionId),
        eq(subscriptions.teamId, teamId),
        notInArray(subscriptions.status, ["canceled", "incomplete_expired"]),
      ),
    );
  return rows.length > 0;
}

/** Records who changed a subscription. */
export async function insertChangeEntry(
  db: Db,
  entry: {
    userId: string;
    teamId: string;
    subscriptionId: string;
    client: Client;
    action: string;
    details: Record<string, unknown>;
  },
): Promise<void> {
  const { subscriptionId, ...rest } = entry;
  await insertAuditEntry(db, { ...rest, resourceType: "subscription", resourceId: subscriptionId });
}
