import { types, type Pool, type PoolClient, type QueryArrayConfig, type QueryConfig } from "pg";
import { z } from "zod";

export const Statement = z.object({ query: z.string(), params: z.array(z.unknown()).default([]) });
export type Statement = z.infer<typeof Statement>;
export const SqlRequest = z.union([z.object({ queries: z.array(Statement) }), Statement]);

/** The requested format of rows, and for a batch its transaction. */
export interface SqlOptions {
  /** Values as PostgreSQL's text instead of parsed values. */
  rawText: boolean;
  /** Rows as arrays instead of objects. */
  arrayMode: boolean;
  /** The options after BEGIN, such as `ISOLATION LEVEL SERIALIZABLE READ ONLY`. */
  transaction: string;
}

/** The result of one statement, with Neon's field names. */
interface StatementResult {
  command: string;
  rowCount: number | null;
  rowAsArray: boolean;
  fields: unknown[];
  rows: unknown[];
}

/** Statements that connections keep prepared: the service has some dozens; further texts are planned each time. */
const MAX_PREPARED = 500;
const preparedNames = new Map<string, string>();

/**
 * Names a prepared statement: planning costs more than running for most of the service's statements, so each text is
 * planned once per connection.
 */
function preparedName(text: string): string | undefined {
  const known = preparedNames.get(text);
  if (known !== undefined || preparedNames.size >= MAX_PREPARED) return known;
  const name = `s${preparedNames.size + 1}`;
  preparedNames.set(text, name);
  return name;
}

const rawText = { getTypeParser: () => (value: string) => value };

/** Runs one statement. */
export async function runSingle(
  pool: Pool,
  statement: Statement,
  options: SqlOptions,
): Promise<StatementResult> {
  const client = await pool.connect();
  try {
    return await runStatement(client, statement, options);
  } finally {
    // The client is returned even after a statement's error: a new client would not know what was prepared, while the
    // embedded backend does. The pool itself drops a client whose connection broke.
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

/**
 * Runs all statements in one transaction; the first error rolls them back and is thrown. All are sent at once: after an error
 * the server refuses those behind it, and its COMMIT rolls back.
 */
export async function runBatch(
  pool: Pool,
  statements: readonly Statement[],
  options: SqlOptions,
): Promise<StatementResult[]> {
  const client = await pool.connect();
  try {
    const begun = client.query(`BEGIN ${options.transaction}`);
    const results = statements.map((statement) => runStatement(client, statement, options));
    const answers = await Promise.allSettled([begun, ...results, client.query("COMMIT")]);
    const failed = answers.find((answer) => answer.status === "rejected");
    if (failed) throw failed.reason;
    return await Promise.all(results);
  } finally {
    client.release();
  }
}
