import { p50, timed } from "../statistics.ts";
import { NotPossible, type Figure, type Measurement } from "../measurement.ts";
import { PEOPLE } from "#test/db/growth/people.ts";
import { isBounded, rowsRead, tablesScanned } from "#test/db/growth/plans.ts";
import { openExplained, type Explained, type ExplainedDatabase } from "#test/db/growth/recorder.ts";
import { HOT } from "#test/db/growth/requests/hot.ts";
import { LISTS } from "#test/db/growth/requests/lists.ts";
import type { Request } from "#test/db/growth/requests/request.ts";
import { SWEEPS } from "#test/db/growth/requests/sweeps.ts";
import { aPartOf, LARGE } from "#test/db/growth/rows.ts";
import { findServer, makeFilled } from "#test/db/growth/scratch.ts";

/** PostgreSQL may switch to a generic plan after five runs, so there are more. */
const RUNS = 15;

/** Noise of the round trip and the machine: a difference of this size means nothing. */
const NOISE_MS = 2;

/** A growing table has more rows than this in the large database. Sequential scans of smaller tables are fast. */
const FEW_ROWS = 4000;

export const growth: Measurement = {
  name: "growth",
  title: "Growth",
  how: `The service's statements on a real PostgreSQL with 1,000 users, 20,000 projects, 200,000 chats, a million tasks and two million messages, and on one with a hundredth of that, for people with the same own rows in both: p50 over ${RUNS} runs in milliseconds and rows read, small → large, and the ratio of the times (a small one counts as at least ${NOISE_MS} ms). No goal for requests that show other people's rows.`,
  async run() {
    const server = await findServer();
    if (!server) throw new NotPossible("there is no PostgreSQL; TEST_DATABASE_URL names one");
    await using made = new AsyncDisposableStack();
    const names: string[] = [];
    for (const size of [aPartOf(LARGE, 100), LARGE]) {
      const { name, drop } = await makeFilled(server, size, Object.values(PEOPLE));
      made.defer(drop);
      names.push(name);
    }
    const explained = await openExplained(server);
    made.defer(() => explained.close());
    const [small, large] = names.map((name) => explained.database(name));
    if (!small || !large) return [];
    return await figuresOf(small, large);
  },
};

/** The cost of a request at one size. */
interface Cost {
  ms: number;
  rows: number;
  statements: Explained[];
}

async function figuresOf(small: ExplainedDatabase, large: ExplainedDatabase): Promise<Figure[]> {
  const growing = await large.tablesAbove(FEW_ROWS);
  const ratios: Figure[] = [];
  const scans: string[] = [];
  const kept: string[] = [];
  const unbounded: string[] = [];
  for (const request of [...HOT, ...LISTS, ...SWEEPS]) {
    const [before, after] = await costs(small, large, request);
    ratios.push(ratioOf(request, before, after));
    const found = (of: "plan" | "keptPlan") =>
      new Set(
        after.statements.flatMap((each) => tablesScanned(each[of])).filter((name) => growing.has(name)),
      );
    if (!request.showsOthers) {
      for (const table of found("plan")) scans.push(`${request.name} reads all of ${table}`);
      for (const table of found("keptPlan")) kept.push(`${request.name} would read all of ${table}`);
    }
    const isList =
      LISTS.includes(request) && !request.isShort && request.showsOthers !== "no page is asked for";
    if (isList && !after.statements.every(({ plan }) => isBounded(plan))) unbounded.push(request.name);
  }
  return [
    ...ratios,
    listed("sequential scans of growing tables", scans),
    listed("the same in plans that are kept", kept),
    listed("lists without a page", unbounded),
  ];
}

/** Alternates between the sizes, so that other load on the machine affects both. */
async function costs(
  small: ExplainedDatabase,
  large: ExplainedDatabase,
  request: Request,
): Promise<[Cost, Cost]> {
  const times: [number[], number[]] = [[], []];
  for (let n = 1; n <= RUNS; n += 1) {
    times[0].push(await timed(async () => request.run(small.db, n)));
    times[1].push(await timed(async () => request.run(large.db, n)));
  }
  const cost = async (database: ExplainedDatabase, ms: number[]) => {
    const statements = await database.explain(request, RUNS + 1);
    return { ms: p50(ms), rows: statements.reduce((sum, { plan }) => sum + rowsRead(plan), 0), statements };
  };
  return [await cost(small, times[0]), await cost(large, times[1])];
}

function ratioOf(request: Request, small: Cost, large: Cost): Figure {
  const told = `${small.ms.toFixed(1)} → ${large.ms.toFixed(1)} ms, ${small.rows} → ${large.rows} rows`;
  return {
    what: `${request.name}: ${told}`,
    value: large.ms / Math.max(NOISE_MS, small.ms),
    unit: "",
    ...(!request.showsOthers && { goal: { atMost: 1.5 } }),
  };
}

function listed(what: string, names: readonly string[]): Figure {
  return {
    what: names.length === 0 ? what : `${what}: ${names.join("; ")}`,
    value: names.length,
    unit: "",
    goal: { atMost: 0 },
  };
}
