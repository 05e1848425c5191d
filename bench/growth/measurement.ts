import { p50, timed } from "../statistics.ts";
import type { Figure, Measurement } from "../measurement.ts";
import { PEOPLE } from "./people.ts";
import { isBounded, rowsRead, tablesScanned } from "./plans.ts";
import { openExplained, type Explained, type ExplainedDatabase } from "./recorder.ts";
import { HOT } from "./requests/hot.ts";
import { LISTS } from "./requests/lists.ts";
import type { Request } from "./requests/request.ts";
import { SWEEPS } from "./requests/sweeps.ts";
import { aPartOf, LARGE } from "./rows.ts";
import { findServer, makeFilled } from "./scratch.ts";

/** More than the runs after which a connection keeps a plan, which are five. */
const RUNS = 15;

/** What two answers may differ by that says nothing: the trip to the database, and the machine. */
const NOISE_MS = 2;

/** A table that grows with use has more rows than this in the large database; others are read from end to end as fast. */
const FEW_ROWS = 4000;

export const growth: Measurement = {
  name: "growth",
  title: "Growth",
  how: `What the service asks of a real PostgreSQL with 1,000 users, 20,000 projects, 200,000 chats, a million tasks and two million messages, beside one with a hundredth of that, by people who have as much at both: p50 over ${RUNS} runs in milliseconds and rows read, small → large, and the ratio of the times (of ${NOISE_MS} ms where the small one is less). No goal where others' rows are what is shown.`,
  async run() {
    const server = await findServer();
    if (!server) return [{ what: "skipped: no PostgreSQL (TEST_DATABASE_URL)", value: 0, unit: "" }];
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

/** A request at one size. */
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

/** Both sizes take turns, so that a machine that is busy for a while is so for both. */
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
