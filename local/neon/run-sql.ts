import { types, type Pool, type PoolClient, type QueryArrayConfig, type QueryConfig } from "pg";
import { z } from "zod";

export const Statement = z.object({ query: z.string(), params: z.array(z.unknown()).default([]) });
export type Statement = z.infer<typeof Statement>;
export const SqlRequest = z.union([z.object({ queries: z.array(Statement) }), Statement]);

/** How a request wants its rows, and for a batch its transaction. */
export interface SqlOptions {
  /** Values as PostgreSQL's text instead of parsed. */
  rawText: boolean;
  /** Rows as arrays instead of objects. */
  arrayMode: boolean;
  /** What follows BEGIN, such as `ISOLATION LEVEL SERIALIZABLE READ ONLY`. */
  transaction: string;
}

/** The answer to one statement, with Neon's field names. */
interface StatementResult {
  command: string;
  rowCount: number | null;
  rowAsArray: boolean;
  fields: unknown[];
  rows: unknown[];
}

/** Statements that connections keep prepared: the service has some dozens; texts beyond that are planned each time. */
const MAX_PREPARED = 500;
const preparedNames = new Map<string, string>();

/** Planning costs more than running for most of what the service asks, so each text is planned once a connection. */
function preparedName(text: string): string | undefined {
  const known = preparedNames.get(text);
  if (known !== undefined || preparedNames.size >= MAX_PREPARED) return known;
  const name = `s${preparedNames.size + 1}`;
  preparedNames.set(text, name);
  return name;
}

const rawText = { getTypeParser: () => (value: string) => value };

/** One statement by itself. */
export async function runSingle(
  pool: Pool,
  statement: Statement,
  options: SqlOptions,
): Promise<StatementResult> {
  const client = await pool.connect();
  try {
    return await runStatement(client, statement, options);
  } finally {
    // Given back whole even after an error of the statement: the next client would not know what this one has prepared,
    // while an embedded backend does. One whose connection broke is dropped by the pool itself.
    client.release();
  }
}

async function runStatement(
  client: PoolClient,
  statement: Statement,
  options: SqlOptions,
): Promise<StatementResult> {
  const name = preparedName(statement.query);
  const base: QueryConfig = {
    ...(name !== undefined && { name }),
    text: statement.query,
    values: statement.params,
    types: options.rawText ? rawText : types,
  };
  const asArrays: QueryArrayConfig = { ...base, rowMode: "array" };
  const { command, rowCount, fields, rows } = await client.query(options.arrayMode ? asArrays : base);
  return { command, rowCount, rowAsArray: options.arrayMode, fields, rows };
}

/** All statements in one transaction; the first error undoes them and is thrown. */
export async function runBatch(
  pool: Pool,
  statements: readonly Statement[],
  options: SqlOptions,
): Promise<StatementResult[]> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(`BEGIN ${options.transaction}`);
    const results: StatementResult[] = [];
    for (const statement of statements) results.push(await runStatement(client, statement, options));
    await client.query("COMMIT");
    return results;
  } catch (error) {
    await client.query("ROLLBACK").catch((cause: unknown) => {
      broken = new Error("The connection is lost", { cause });
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
