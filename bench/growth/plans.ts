import { z } from "zod";

/** A node of a plan as PostgreSQL explains it, with the nodes below it. */
export interface Plan {
  "Node Type": string;
  "Relation Name"?: string | undefined;
  "Index Name"?: string | undefined;
  /** Of one loop; absent where the statement was not run. */
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

/** What EXPLAIN (FORMAT JSON) answers. */
export const Plans = z.tuple([z.object({ "QUERY PLAN": z.tuple([z.object({ Plan: Node })]) })]);

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/** Tables that a plan reads from end to end. */
export function tablesScanned(plan: Plan): string[] {
  const scans = nodesOf(plan).filter((node) => node["Node Type"] === "Seq Scan");
  return [...new Set(scans.map((node) => node["Relation Name"] ?? ""))];
}

/** Whether the answer has a bound: a LIMIT, or it is one row, as what is looked up by its id or counted. */
export function isBounded(plan: Plan): boolean {
  return (plan["Actual Rows"] ?? 0) <= 1 || nodesOf(plan).some((node) => node["Node Type"] === "Limit");
}

/** Rows that were read from tables and indexes, those among them that were not wanted. */
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
