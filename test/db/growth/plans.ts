import { z } from "zod";

/** A node of a plan as PostgreSQL explains it, with the nodes below it. */
export interface Plan {
  "Node Type": string;
  "Relation Name"?: string | undefined;
  "Index Name"?: string | undefined;
  /** Per loop; absent if the statement was not run. */
  "Actual Rows"?: number | undefined;
  "Actual Loops"?: number | undefined;
  "Rows Removed by Filter"?: number | undefined;
  "Rows Removed by Index Recheck"?: number | undefined;
  Plans?: Plan[] | undefined;
}

const Node: z.ZodType<Plan> = z.lazy(() =>
  z.object({
    "Node Type": z.string(),
    "Relation Name": z.string().optional(),
    "Index Name": z.string().optional(),
    "Actual Rows": z.number().optional(),
    "Actual Loops": z.number().optional(),
    "Rows Removed by Filter": z.number().optional(),
    "Rows Removed by Index Recheck": z.number().optional(),
    Plans: z.array(Node).optional(),
  }),
);

/** The result of EXPLAIN (FORMAT JSON). */
export const Plans = z.tuple([z.object({ "QUERY PLAN": z.tuple([z.object({ Plan: Node })]) })]);

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/** Tables that a plan reads with a sequential scan. */
export function tablesScanned(plan: Plan): string[] {
  const scans = nodesOf(plan).filter((node) => node["Node Type"] === "Seq Scan");
  return [...new Set(scans.map((node) => node["Relation Name"] ?? ""))];
}

/**
 * Whether the number of result rows is bounded: by a LIMIT, or because it is a single row, as of a lookup by id or a
 * count.
 */
export function isBounded(plan: Plan): boolean {
  return (plan["Actual Rows"] ?? 0) <= 1 || nodesOf(plan).some((node) => node["Node Type"] === "Limit");
}

/** Rows read from tables and indexes, including filtered ones. */
export function rowsRead(plan: Plan): number {
  return nodesOf(plan)
    .filter((node) => node["Node Type"].endsWith("Scan") && node["Relation Name"] !== undefined)
    .map((node) => {
      const { "Actual Rows": rows = 0, "Actual Loops": loops = 0 } = node;
      const removed = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
      return (rows + removed) * loops;
    })
    .reduce((sum, rows) => sum + rows, 0);
}
