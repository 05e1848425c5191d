import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { users } from "#src/db/schema/index.ts";
import { newId } from "#src/lib/ids.ts";
import { statement, type Slot } from "#src/db/statement.ts";
import { fileDatabase } from "#test/support/database.ts";

const database = await fileDatabase();

/** How often its text was built. */
let built = 0;
const namesOf = statement((db, { id, since }: { id: Slot<string>; since: Slot<Date> }) => {
  built += 1;
  return db
    .select({ given: { name: users.name }, age: sql<number>`${users.createdAt} - ${since}::timestamptz` })
    .from(users)
    .where(eq(users.id, id));
});
const rounded = statement((db, { value }: { value: Slot<number> }) =>
  db.execute<{ value: number; same: boolean }>(
    sql`SELECT round(${value}::numeric)::int AS value, ${value}::numeric = ${2.5}::numeric AS same`,
  ),
);
const touched = statement((db, { id, name }: Record<"id" | "name", Slot<string>>) =>
  db
    .update(users)
    .set({ name: sql`${name}::text` })
    .where(eq(users.id, id))
    .returning({ createdAt: users.createdAt }),
);

describe("statement", () => {
  it("builds its text once, and returns the rows for the values of each call", async () => {
    const { db } = database;
    const since = new Date();
    expect(await namesOf(db, { id: newId(), since })).toEqual([]);
    expect(await namesOf(db, { id: newId(), since })).toEqual([]);
    expect(built).toBe(1);
    expect((await rounded(db, { value: 2.5 })).rows).toEqual([{ value: 3, same: true }]);
    expect((await rounded(db, { value: 7 })).rows).toEqual([{ value: 7, same: false }]);
  });

  it("is part of a batch, beside queries that are not", async () => {
    const { db } = database;
    const [first, names, second] = await db.batch([
      rounded(db, { value: 1 }),
      db.select({ id: users.id }).from(users).where(eq(users.id, newId())),
      touched(db, { id: newId(), name: "Ada" }),
    ]);
    expect(first.rows).toEqual([{ value: 1, same: false }]);
    expect(names).toEqual([]);
    expect(second).toEqual([]);
  });

  it("asks the database only when it is awaited, and anew each time", async () => {
    const { db } = database;
    const asked = rounded(db, { value: 4 });
    expect((await asked).rows).toEqual((await asked).rows);
  });

  it("fails as drizzle does: the statement, and the driver's error as the cause", async () => {
    const failing = statement((db, { value }: { value: Slot<string> }) =>
      db.execute(sql`SELECT ${value}::uuid`),
    );
    const error = await failing(database.db, { value: "no id" }).catch((each: unknown) => each);
    expect(error).toMatchObject({ query: "SELECT $1::uuid", cause: { name: "NeonDbError", code: "22P02" } });
  });
});
