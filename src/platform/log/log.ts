/**
 * Structured log: one JSON object per line. Values must not be secret; errors are reduced to name, message and stack.
 */
export interface Log {
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  /** Returns the same log with fields that every line carries, such as the request id. */
  with(fields: Fields): Log;
}

type Fields = Readonly<Record<string, unknown>>;

export function createLog(context: Fields = {}): Log {
  const write = (level: "info" | "warn" | "error", message: string, fields: Fields = {}) => {
    const line = JSON.stringify(
      { time: new Date().toISOString(), level, message, ...context, ...fields },
      plain,
    );
    // eslint-disable-next-line no-console -- the console is where Workers logs go; every other file uses this one.
    console[level](line);
  };
  return {
    info: (message, fields) => write("info", message, fields),
    warn: (message, fields) => write("warn", message, fields),
    error: (message, fields) => write("error", message, fields),
    with: (fields) => createLog({ ...context, ...fields }),
  };
}

function plain(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = withoutParameters(value);
  return { name, message, stack, cause };
}

/** Drizzle includes a query's parameters in its message; hashes and users' texts must not be logged. */
function withoutParameters(error: Error): Error {
  if (!("query" in error) || !("params" in error)) return error;
  const bare = new Error(`Failed query: ${String(error.query)}`, { cause: error.cause });
  bare.stack = error.stack?.replace(error.message, () => bare.message) ?? "";
  return bare;
}
