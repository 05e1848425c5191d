import type { z } from "zod";
import { AppError } from "#src/lib/errors.ts";

/** Parses a socket's query. Throws `invalid_input` that names the invalid parameter. */
export function parse<S extends z.ZodType>(schema: S, query: Readonly<Record<string, string>>): z.output<S> {
  const parsed = schema.safeParse(query);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new AppError("invalid_input", `${issue?.path.join(".")}: ${issue?.message}`);
}

/** For sockets that open no terminal when they connect. */
export const NO_WISH = { target: null, session: null, position: null, columns: 80, rows: 24 };
