import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PEOPLE } from "./growth/people.ts";
import { rowsRead, tablesScanned } from "./growth/plans.ts";
import { openExplained, type ExplainedDatabase } from "./growth/recorder.ts";
import { HOT } from "./growth/requests/hot.ts";
import { LISTS } from "./growth/requests/lists.ts";
import { SWEEPS } from "./growth/requests/sweeps.ts";
import type { Size } from "./growth/rows.ts";
import { makeFilled } from "./growth/scratch.ts";
import { sql } from "drizzle-orm";

/** As large as can be made in seconds: the planner tells large tables from small ones. */
const SIZE: Size = { users: 200, projects: 20_000, chats: 20_000, tasks: 50_000 };

/** Tables with more rows than this are not to be read from end to end. */
const MANY = 9000;

/** More rows than any request of a person with four hundred tasks needs. */
const TOO_MANY = 6000;

const server = process.env["TEST_DATABASE_URL"];

describe.skipIf(!server)("what the service asks of a database that others have filled", () => {
  let database: ExplainedDatabase;
  let large: Set<string>;
  const opened = new AsyncDisposableStack();
  beforeAll(async () => {
    const { name, drop } = await makeFilled(server ?? "", SIZE, [PEOPLE.ordinary, PEOPLE.colleague]);
    opened.defer(drop);
    const explained = await openExplained(server ?? "");
    opened.defer(() => explained.close());
    database = explained.database(name);
    large = await database.tablesAbove(MANY);
  });
  afterAll(() => opened.disposeAsync());

  const asked = [...HOT, ...LISTS, ...SWEEPS].filter(
    ({ name, showsOthers }) => !showsOthers && !name.endsWith(", busy"),
  );

  it.each(asked.map((request) => [request.name, request] as const))(
    "%s: is not read from whole tables",
    async (name, request) => {
      const statements = await database.explain(request, 1);
      expect(statements.length).toBeGreaterThan(0);
      const tables = statements.flatMap(({ plan, keptPlan }) => [
        ...tablesScanned(plan),
        ...tablesScanned(keptPlan),
      ]);
      expect(tables.filter((table) => large.has(table))).toEqual([]);
      const rows = statements.reduce((sum, { plan }) => sum + rowsRead(plan), 0);
      expect(rows).toBeLessThan(TOO_MANY);
    },
  );

  it("would be found out", async () => {
    const run = () => database.db.execute(sql`SELECT count(*) FROM tasks WHERE response = 'nothing'`);
    const [statement] = await database.explain({ run }, 1);
    expect(statement && tablesScanned(statement.plan)).toEqual(["tasks"]);
    expect(statement && rowsRead(statement.plan)).toBeGreaterThan(SIZE.tasks);
  });

  it("finds by an index what hangs on a row that is deleted", async () => {
    const { rows } = await database.db.execute(sql`
      SELECT conrelid::regclass || ': ' || conname AS key FROM pg_constraint
      WHERE contype = 'f' AND NOT EXISTS (
        SELECT 1 FROM pg_index WHERE indrelid = conrelid AND indpred IS NULL AND indkey[0] = conkey[1])`);
    expect(rows).toEqual([]);
  });
});
