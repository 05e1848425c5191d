import { and, count, desc, eq, getTableColumns, gte, lte, sql } from "drizzle-orm";
import { containing } from "#src/db/containing.ts";
import { pictureAddress } from "#src/db/picture-address.ts";
import { adminActions, teams, users } from "#src/db/schema/index.ts";
import { hasAuthenticator } from "#src/domain/people/two-factor/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { personalTeam } from "./changes.ts";

/** Omits pictures that are stored in the row, because two hundred of them would be too large for a response. */
const listed = {
  ...getTableColumns(users),
  avatarUrl: pictureAddress,
  hasAuthenticator: hasAuthenticator(sql`users.id`),
};

/** Accounts whose names contain a text, newest first, with the credits of their personal teams. */
export async function pageOfAccounts(
  db: Db,
  filter: { search?: string | undefined; isActive?: boolean | undefined },
  page: { limit: number; offset: number },
) {
  const like = filter.search === undefined ? undefined : containing(filter.search);
  const where = and(
    like === undefined
      ? undefined
      : sql`(${users.email} ILIKE ${like} OR ${users.username} ILIKE ${like} OR ${users.name} ILIKE ${like})`,
    filter.isActive === undefined ? undefined : eq(users.isActive, filter.isActive),
  );
  const disabledAt = sql<string | null>`CASE WHEN NOT ${users.isActive} THEN (
    SELECT max(a.created_at) FROM admin_actions a
    WHERE a.target_id = ${users.id}::text AND a.action_type = 'account.disabled') END`;
  const [accounts, [total]] = await db.batch([
    db
      .select({ user: listed, team: teams, disabledAt: disabledAt.mapWith(adminActions.createdAt) })
      .from(users)
      .leftJoin(teams, personalTeam)
      .where(where)
      .orderBy(desc(users.id))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: count() }).from(users).where(where),
  ]);
  return { accounts, total: total?.total ?? 0 };
}

export interface ActionFilter {
  search?: string | undefined;
  actionType?: string | undefined;
  adminId?: string | undefined;
  targetType?: string | undefined;
  /** Both inclusive. */
  from?: Date | undefined;
  to?: Date | undefined;
}

/** Actions of administrators, newest first, with the administrators' names. */
export async function pageOfActions(db: Db, filter: ActionFilter, page: { limit: number; offset: number }) {
  const like = filter.search === undefined ? undefined : containing(filter.search);
  const where = and(
    like === undefined
      ? undefined
      : sql`(${adminActions.actionType} ILIKE ${like} OR ${adminActions.targetId} ILIKE ${like}
          OR ${adminActions.reason} ILIKE ${like} OR ${users.name} ILIKE ${like} OR ${users.email} ILIKE ${like})`,
    filter.actionType === undefined ? undefined : eq(adminActions.actionType, filter.actionType),
    filter.adminId === undefined ? undefined : eq(adminActions.adminId, filter.adminId),
    filter.targetType === undefined ? undefined : eq(adminActions.targetType, filter.targetType),
    filter.from && gte(adminActions.createdAt, filter.from),
    filter.to && lte(adminActions.createdAt, filter.to),
  );
  const admin = eq(users.id, adminActions.adminId);
  const [actions, [total]] = await db.batch([
    db
      .select({ action: adminActions, adminName: users.name })
      .from(adminActions)
      .leftJoin(users, admin)
      .where(where)
      .orderBy(desc(adminActions.id))
      .limit(page.limit)
      .offset(page.offset),
    db.select({ total: count() }).from(adminActions).leftJoin(users, admin).where(where),
  ]);
  return { actions, total: total?.total ?? 0 };
}
