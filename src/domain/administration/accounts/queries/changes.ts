import { and, eq, inArray, or, sql, type SQL } from "drizzle-orm";
import { lockOwnTeam, lockPerson, shareOwnTeam } from "#src/db/locks.ts";
import { externalApiKeys, tasks, teams, users } from "#src/db/schema/index.ts";
import { hasSold, isBaseSold, keepWorkedAgents } from "#src/db/sold-items.ts";
import { withoutRatingsOf } from "#src/domain/marketplace/reviews/index.ts";
import { userById } from "#src/domain/people/accounts/index.ts";
import { grantBonus, type OpeningConfig } from "#src/domain/metering/credits/index.ts";
import { insertAuditEntry } from "#src/domain/access/audit/index.ts";
import { giveTurnsOf, type Task } from "#src/domain/agent-work/tasks/index.ts";
import { endLoginAttempts } from "#src/domain/people/two-factor/index.ts";
import { endWaysIn } from "#src/domain/people/ways-in/index.ts";
import { endChannelsOfProjects, storeRemovals } from "#src/domain/workspaces/projects/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";

/** An arbitrary number that no other advisory lock of the service uses. */
const ADMINISTRATORS_LOCK = 7_310_002;

/** An action as the trail of administrators records it. */
export interface Deed {
  adminId: string;
  /** The target account. */
  userId: string;
  reason: string | null;
  address: string;
}

/** The known values of an action. The details of an account's change are determined by the statement itself. */
export interface NewAction extends Deed {
  actionType: "account.deleted" | "authenticator.turned_off" | "credits.adjusted";
  details: Record<string, unknown>;
}

/** Whether a change was made, and the reasons that can prevent it. */
export type Outcome = {
  done: boolean;
  /** Whether the caller is still an administrator. */
  admin: boolean;
  /** Whether the account is the last administrator. */
  last: boolean;
};

/** Serialises changes that could leave the installation without an administrator. */
function lockAdministrators(db: Db) {
  return db.execute(sql`SELECT pg_advisory_xact_lock(${ADMINISTRATORS_LOCK}::bigint)`);
}

/** First parts of each statement's WITH list: the acting administrator and the target account. */
function parties({ adminId, userId }: Deed): SQL {
  return sql`admin AS (
      SELECT id FROM users WHERE id = ${adminId}::uuid AND is_active AND is_superuser
    ), target AS (
      SELECT id, is_active AND is_superuser AND NOT EXISTS (
        SELECT 1 FROM users other WHERE other.id <> users.id AND other.is_active AND other.is_superuser
      ) AS last
      FROM users WHERE id = ${userId}::uuid
    )`;
}

/** Part of a WITH list: the row of the trail for the row in `done`. */
function noted(id: string, deed: Deed, what: { actionType: SQL; details: SQL }): SQL {
  return sql`noted AS (
      INSERT INTO admin_actions (id, admin_id, action_type, target_type, target_id, reason, details, ip_address)
      SELECT ${id}::uuid, ${deed.adminId}::uuid, ${what.actionType}, 'user', done.id::text,
        ${deed.reason}::text, ${what.details}, ${deed.address}::text
      FROM done
    )`;
}

function asGiven({ actionType, details }: NewAction) {
  return { actionType: sql`${actionType}::text`, details: sql`${JSON.stringify(details)}::jsonb` };
}

const isNoted = (id: string) => sql`EXISTS (SELECT 1 FROM admin_actions WHERE id = ${id}::uuid)`;

/** The entry in the account's own log, if the action was recorded. Omits the administrator's address. */
function audited(db: Db, id: string, { adminId, userId }: Deed, teamId: string | null) {
  const ofAction = (column: SQL) => sql`(SELECT ${column} FROM admin_actions WHERE id = ${id}::uuid)`;
  const entry = {
    userId: adminId,
    action: ofAction(sql`action_type`),
    resourceType: "user",
    resourceId: userId,
    details: ofAction(sql`details`),
  };
  return insertAuditEntry(
    db,
    { ...entry, ...(teamId !== null && { teamId }) },
    sql`${teamId}::uuid IS NOT NULL AND ${isNoted(id)}`,
  );
}

export const personalTeam = and(eq(teams.createdBy, users.id), teams.isPersonal);

/** An account and its personal team. */
export function accountWithTeam(db: Db, userId: string) {
  return db
    .select({ user: users, teamId: teams.id })
    .from(users)
    .leftJoin(teams, personalTeam)
    .where(eq(users.id, userId));
}

/** Absent fields stay as they are. */
export interface AccountFields {
  email?: string | undefined;
  username?: string | undefined;
  name?: string | undefined;
  passwordHash?: string | null | undefined;
  isVerified?: boolean | undefined;
  isActive?: boolean | undefined;
  isSuperuser?: boolean | undefined;
}

/**
 * The fields that can change, with their names in the trail, and whether the trail contains the new value; it contains
 * no names and secrets.
 */
const FIELDS = [
  { name: "email", column: sql`email` },
  { name: "username", column: sql`username` },
  { name: "name", column: sql`name` },
  { name: "password", column: sql`password_hash` },
  { name: "is_verified", column: sql`is_verified`, isTold: true },
  { name: "is_active", column: sql`is_active`, isTold: true },
  { name: "is_superuser", column: sql`is_superuser`, isTold: true },
] as const;

const differs = (column: SQL) => sql`before.${column} IS DISTINCT FROM done.${column}`;

/** The change of the account: compares the row `before`, which is read behind its lock, with the row `done`. */
function whatChanged(): { actionType: SQL; details: SQL } {
  const names = FIELDS.map(({ name, column }) => sql`CASE WHEN ${differs(column)} THEN ${name}::text END`);
  const told = FIELDS.filter((field) => "isTold" in field).map(
    ({ name, column }) => sql`${name}::text, CASE WHEN ${differs(column)} THEN done.${column} END`,
  );
  return {
    actionType: sql`(SELECT CASE WHEN before.is_active = done.is_active THEN 'account.updated'
      WHEN done.is_active THEN 'account.enabled' ELSE 'account.disabled' END FROM before)`,
    details: sql`(SELECT jsonb_build_object('fields', array_remove(ARRAY[${sql.join(names, sql`, `)}], NULL))
      || jsonb_strip_nulls(jsonb_build_object(${sql.join(told, sql`, `)})) FROM before)`,
  };
}

/**
 * Changes an account and records the differences, unless there are none or no administrator would be left. A new
 * address counts as unverified unless the change says otherwise; marking it as verified grants the bonus, as a
 * verification does. A new password and disabling end the account's sessions and pending ways in. Returns the changed
 * account and its active keys.
 */
export async function changeAccountRow(
  { db, config }: { db: Db; config: OpeningConfig },
  action: Deed,
  fields: AccountFields,
  teamId: string | null,
) {
  const id = newId();
  const { userId } = action;
  const demotes = fields.isActive === false || fields.isSuperuser === false;
  const signsOut = fields.isActive === false || typeof fields.passwordHash === "string";
  const next = sql`
    coalesce(${fields.email ?? null}::text, u.email), coalesce(${fields.username ?? null}::text, u.username),
    coalesce(${fields.name ?? null}::text, u.name), coalesce(${fields.passwordHash ?? null}::text, u.password_hash),
    coalesce(${fields.isVerified ?? null}::boolean,
      u.is_verified AND lower(u.email) = lower(coalesce(${fields.email ?? null}::text, u.email))),
    coalesce(${fields.isActive ?? null}::boolean, u.is_active),
    coalesce(${fields.isSuperuser ?? null}::boolean, u.is_superuser),
    CASE WHEN ${fields.email !== undefined || fields.isVerified === true}::boolean THEN NULL ELSE u.email_asked_at END`;
  const [, , , outcome, [user], keys] = await db.batch([
    lockAdministrators(db),
    // Locked if the bonus may be granted.
    fields.isVerified === true ? lockOwnTeam(db, userId) : shareOwnTeam(db, userId),
    // Opening a session locks the account, so a session that is being opened concurrently is committed first and then
    // ended.
    lockPerson(db, userId),
    db.execute<Record<keyof Outcome, boolean>>(sql`
      WITH ${parties(action)}, before AS (
        SELECT * FROM users WHERE id = ${userId}::uuid
      ), done AS (
        UPDATE users u SET (email, username, name, password_hash, is_verified, is_active, is_superuser, email_asked_at) = (${next}),
          updated_at = now()
        FROM target
        WHERE u.id = target.id AND EXISTS (SELECT 1 FROM admin) AND NOT (target.last AND ${demotes}::boolean)
          AND (u.email, u.username, u.name, u.password_hash, u.is_verified, u.is_active, u.is_superuser, u.email_asked_at)
            IS DISTINCT FROM (${next})
        RETURNING u.*
      ), ${noted(id, action, whatChanged())}
      SELECT EXISTS (SELECT 1 FROM done) AS done, EXISTS (SELECT 1 FROM admin) AS admin,
        coalesce((SELECT last FROM target), false) AND ${demotes}::boolean AS last
    `),
    userById(db, userId),
    db
      .select({ id: externalApiKeys.id })
      .from(externalApiKeys)
      .where(and(eq(externalApiKeys.userId, userId), externalApiKeys.isActive)),
    ...endWaysIn(db, userId, sql`${signsOut}::boolean AND ${isNoted(id)}`),
    ...(fields.isVerified === true ? [grantBonus(db, config, sql`${userId}::uuid`)] : []),
    audited(db, id, action, teamId),
  ]);
  return { outcome: outcome.rows[0], user, keys };
}

/** Projects that are deleted with an account: its own, and those of teams that it created. */
const doomedProjects = (userId: string) => sql`
  SELECT p.id, p.team_id, p.slug FROM projects p
  WHERE p.owner_id = ${userId}::uuid OR p.team_id IN (SELECT id FROM teams WHERE created_by = ${userId}::uuid)`;

/**
 * Deletes an account with everything that belongs to it, and records it, unless other people depend on the account or a
 * team or the installation would be left without an administrator. Locks teams, account and projects before the
 * decision, in the common order; a person who is about to join waits, and then finds nothing to join. Returns what must
 * be removed outside the database.
 */
export async function deleteAccountRow(db: Db, action: NewAction) {
  const { userId } = action;
  const doomed = doomedProjects(userId);
  const [, , , , running, result] = await db.batch([
    lockAdministrators(db),
    db.execute(sql`
      SELECT id FROM teams
      WHERE created_by = ${userId}::uuid OR id IN (
        SELECT team_id FROM projects WHERE owner_id = ${userId}::uuid
        UNION SELECT team_id FROM team_memberships WHERE user_id = ${userId}::uuid
      )
      ORDER BY id FOR UPDATE`),
    db.execute(sql`SELECT id FROM users WHERE id = ${userId}::uuid FOR UPDATE`),
    db.execute(
      sql`SELECT id FROM projects WHERE id IN (SELECT id FROM (${doomed}) d) ORDER BY id FOR UPDATE`,
    ),
    db
      .select()
      .from(tasks)
      .where(
        and(
          inArray(tasks.status, ["queued", "running"]),
          or(eq(tasks.userId, userId), sql`${tasks.projectId} IN (SELECT id FROM (${doomed}) d)`),
        ),
      ),
    db.execute<Outcome & { shared: boolean; sold: boolean; projects: string[] }>(sql`
      WITH ${parties(action)}, doomed AS (${doomed}), kept_up AS (
        SELECT m.team_id FROM team_memberships m
        WHERE m.user_id = ${userId}::uuid AND m.role = 'admin' AND NOT EXISTS (
          SELECT 1 FROM team_memberships o
          WHERE o.team_id = m.team_id AND o.user_id <> m.user_id AND o.role = 'admin'
        )
        UNION SELECT team_id FROM doomed
        UNION SELECT id FROM teams WHERE created_by = ${userId}::uuid
      ), shared AS (
        SELECT EXISTS (
          SELECT 1 FROM teams WHERE created_by = ${userId}::uuid AND ${hasSold(sql`teams.id`)}
        ) OR EXISTS (
          SELECT 1 FROM bases WHERE created_by = ${userId}::uuid AND ${isBaseSold(sql`bases.id`)}
        ) AS sold, EXISTS (
          SELECT 1 FROM team_memberships m JOIN kept_up ON kept_up.team_id = m.team_id
          WHERE m.user_id <> ${userId}::uuid
        ) OR EXISTS (
          SELECT 1 FROM project_memberships m JOIN doomed ON doomed.id = m.project_id WHERE m.user_id <> ${userId}::uuid
        ) AS shared
      ), done AS (
        DELETE FROM users u USING target, shared
        WHERE u.id = target.id AND NOT target.last AND NOT shared.shared AND NOT shared.sold
          AND EXISTS (SELECT 1 FROM admin)
        RETURNING u.id
      ), removals AS (${storeRemovals(sql`SELECT doomed.id, doomed.slug FROM doomed, done`)}
      ), ended AS (${endChannelsOfProjects(sql`SELECT doomed.id FROM doomed, done`)}
      ), ${keepWorkedAgents(sql`agents.team_id IN (SELECT teams.id FROM teams JOIN done ON done.id = teams.created_by)`)},
      ${giveTurnsOf(sql`done`)}, ${withoutRatingsOf(sql`done`)}, ${noted(newId(), action, asGiven(action))}
      SELECT EXISTS (SELECT 1 FROM done) AS done, EXISTS (SELECT 1 FROM admin) AS admin,
        coalesce((SELECT last FROM target), false) AS last, (SELECT shared FROM shared) AS shared, (SELECT sold FROM shared) AS sold,
        (SELECT coalesce(json_agg(id), '[]') FROM doomed) AS projects
    `),
  ]);
  const tasksToStop: Task[] = running;
  return { outcome: result.rows[0], running: tasksToStop };
}

/** Takes an account's authenticator app away; no effect without one. Logins that wait for a code of it end. */
export async function turnOffAuthenticatorRow(db: Db, action: NewAction, teamId: string | null) {
  const id = newId();
  const [result] = await db.batch([
    db.execute<{ done: boolean; admin: boolean }>(sql`
      WITH ${parties(action)}, done AS (
        DELETE FROM authenticators USING target
        WHERE authenticators.user_id = target.id AND EXISTS (SELECT 1 FROM admin) RETURNING target.id
      ), ${noted(id, action, asGiven(action))}
      SELECT EXISTS (SELECT 1 FROM done) AS done, EXISTS (SELECT 1 FROM admin) AS admin
    `),
    endLoginAttempts(db, action.userId, isNoted(id)),
    audited(db, id, action, teamId),
  ]);
  return result.rows[0];
}

const CREDITS = sql.raw("daily_credits::bigint + bundled_credits + signup_bonus_credits + purchased_credits");
const MAX_CREDITS = 2_147_483_647;

/**
 * Adds to an account's purchased credits, or deducts from them; no effect if they would become negative. One statement,
 * so that concurrent changes both take effect.
 */
export async function adjustCreditsRow(db: Db, action: NewAction, amount: number, teamId: string | null) {
  const id = newId();
  const [result] = await db.batch([
    db.execute<{ done: boolean; admin: boolean; balance: string | null; purchased: number | null }>(sql`
      WITH ${parties(action)}, changed AS (
        UPDATE teams t SET purchased_credits = t.purchased_credits + ${amount}::int
        FROM target
        WHERE t.id = ${teamId}::uuid AND EXISTS (SELECT 1 FROM admin)
          AND t.purchased_credits::bigint + ${amount}::int BETWEEN 0 AND ${MAX_CREDITS}::bigint
        RETURNING ${CREDITS} AS balance
      ), done AS (SELECT target.id FROM target, changed), ${noted(id, action, asGiven(action))}
      SELECT EXISTS (SELECT 1 FROM done) AS done, EXISTS (SELECT 1 FROM admin) AS admin,
        (SELECT balance FROM changed)::text AS balance,
        (SELECT purchased_credits FROM teams WHERE id = ${teamId}::uuid) AS purchased
    `),
    audited(db, id, action, teamId),
  ]);
  return result.rows[0];
}
