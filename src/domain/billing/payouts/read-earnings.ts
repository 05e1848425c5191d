import type { Db } from "#src/platform/db/client.ts";
import { earningsOf } from "./queries/earnings.ts";

/** What a creator earned in a time. Cents. */
export interface Earnings {
  from: Date;
  to: Date;
  total: number;
  pending: number;
  paid: number;
  sales: number;
  byAgent: Readonly<Record<string, { sales: number; revenue: number }>>;
}

/** A creator's shares of payments between two times, less what went back; from the start of the month (UTC) by default. */
export async function readEarnings(
  deps: { db: Db },
  userId: string,
  span: { from?: Date | undefined; to?: Date | undefined },
): Promise<Earnings> {
  const to = span.to ?? new Date();
  const from = span.from ?? new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth()));
  const { byAgent, shares } = await earningsOf(deps.db, userId, { from, to });
  return {
    from,
    to,
    ...shares,
    total: sum(byAgent.map(({ revenue }) => revenue)),
    sales: sum(byAgent.map(({ sales }) => sales)),
    byAgent: Object.fromEntries(byAgent.map(({ item, ...numbers }) => [item, numbers])),
  };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
