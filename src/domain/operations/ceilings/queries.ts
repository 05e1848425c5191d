import { sql, type SQL } from "drizzle-orm";
import type { Db } from "#src/platform/db/client.ts";
import { ceilingOf, type CeilingConfig, type CeilingName } from "./ceiling.ts";

/** A row that is about to be stored, and the ceiling that it counts against. */
export interface Place<Name extends CeilingName = CeilingName> {
  ceiling: Name;
  /** The owner's id, or a query for it; null for none, who is not refused. */
  owner: string | SQL;
  /** Rows that do not count, because the write replaces or changes them. */
  except?: SQL | undefined;
}

/** Refusals reach the service as a text that is no number, with the ceiling's name, the maximum and the seconds to wait. */
const REFUSED = /"ceiling:(?<name>\w+):(?<max>\d+):(?<roomIn>\d*)"/u;

/** SQLSTATE of a text that is no number. */
const INVALID_TEXT = "22P02";

/**
 * Two queries for the start of a batch: a lock, so that batches of one owner count one after another, and a count, which ends
 * the batch with nothing written when a ceiling is reached. Without places, they do nothing. SQL cannot raise an error, so the
 * count casts a text that is no number; `refusedBy` reads it.
 */
export function roomFor<Name extends CeilingName>(
  db: Db,
  config: CeilingConfig<Name>,
  places: readonly Place<Name>[],
) {
  if (places.length === 0) return [db.execute(sql`SELECT`), db.execute(sql`SELECT`)] as const;
  const sorted = places.toSorted((one, other) => (one.ceiling < other.ceiling ? -1 : 1));
  const names = sorted.map(({ ceiling, owner }) => sql`(${`${ceiling}:`}::text || (${owner})::text)`);
  const counts = places.map((place) => sql`(${countOf(config, place)})`);
  return [
    db.execute(
      sql`SELECT pg_advisory_xact_lock(hashtextextended(name, 0)) FROM (VALUES ${list(names)}) AS names (name)
        WHERE name IS NOT NULL`,
    ),
    db.execute(sql`
      SELECT ('ceiling:' || name || ':' || held || ':' || coalesce(room_in::text, ''))::int
      FROM (${sql.join(counts, sql` UNION ALL `)}) AS counted WHERE held >= most`),
  ] as const;
}

/** A row with the ceiling's name, its maximum (null for none), how many are held, and the seconds until there is room. */
function countOf(config: object, { ceiling, owner, except }: Place): SQL {
  const { roomIn } = ceilingOf(ceiling);
  const most = mostOf(config, ceiling, owner);
  const rows = sql`${rowsOf(ceiling, owner)}${except ? sql` AND NOT (${except})` : sql``}`;
  const seconds =
    roomIn === "expires_at"
      ? sql`(SELECT greatest(ceil(extract(epoch FROM min(expires_at) - now())), 1)::int FROM ${rows})`
      : sql`${roomIn ?? null}::int`;
  return sql`
    SELECT ${ceiling}::text AS name, ${most} AS most, ${seconds} AS room_in,
      (SELECT count(*) FROM (SELECT FROM ${rows} LIMIT coalesce(${most}, 0)) AS held) AS held`;
}

function rowsOf(ceiling: CeilingName, owner: string | SQL): SQL {
  const { table, owner: column, counts, whose } = ceilingOf(ceiling);
  const type = sql.raw(whose === "address" ? "text" : "uuid");
  return sql`${sql.raw(`${table} WHERE ${counts ?? "TRUE"} AND ${column} =`)} (${owner})::${type}`;
}

/** The maximum of a ceiling; null for no limit. */
function mostOf(config: object, ceiling: CeilingName, owner: string | SQL): SQL {
  const { variable, noLimit = 0 } = ceilingOf(ceiling);
  const set = new Map(Object.entries(config));
  const most = (name: string) => {
    const value: unknown = set.get(name);
    if (typeof value !== "number") throw new Error(`The ceiling ${ceiling} needs ${name}`);
    return value === noLimit ? sql`NULL::int` : sql`${value}::int`;
  };
  if (typeof variable === "string") return most(variable);
  return sql`(SELECT CASE subscription_tier WHEN 'free' THEN ${most(variable.free)} WHEN 'basic' THEN ${most(variable.basic)}
    WHEN 'pro' THEN ${most(variable.pro)} ELSE ${most(variable.ultra)} END FROM teams WHERE id = (${owner})::uuid)`;
}

/** Most rows that a list of ceilings counts of one kind. */
const MOST_COUNTED = 100_000;

export interface HeldRow {
  name: CeilingName;
  held: number;
  /** Null for no limit. */
  most: number | null;
}

/** How many rows of each kind are held, and how many may be, in the order of the places. */
export async function heldIn(
  { db, config }: { db: Db; config: CeilingConfig<CeilingName> },
  places: readonly Place[],
): Promise<HeldRow[]> {
  const rows = places.map(
    ({ ceiling, owner }) => sql`(
      SELECT ${ceiling}::text AS name, ${mostOf(config, ceiling, owner)} AS most,
        (SELECT count(*)::int FROM (SELECT FROM ${rowsOf(ceiling, owner)} LIMIT ${MOST_COUNTED}) AS held) AS held)`,
  );
  const { rows: found } = await db.execute<{ name: CeilingName; held: number; most: number | null }>(
    sql.join(rows, sql` UNION ALL `),
  );
  return found;
}

/** The ceiling that ended a batch; `undefined` for any other failure. Drizzle wraps the driver's error. */
export function refusedBy(
  error: unknown,
): { name: string; max: number; roomInSeconds: number | undefined } | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    const found =
      "code" in each && each.code === INVALID_TEXT ? REFUSED.exec(each.message)?.groups : undefined;
    if (!found) continue;
    const { name = "", max, roomIn = "" } = found;
    return { name, max: Number(max), roomInSeconds: roomIn === "" ? undefined : Number(roomIn) };
  }
  return undefined;
}

const list = (values: SQL[]) => sql.join(values, sql`, `);
