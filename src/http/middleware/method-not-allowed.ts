import type { Handler } from "hono";
import type { AppEnv } from "#src/http/context.ts";

/** A path that exists, asked with a method that does not. */
export const methodNotAllowed: Handler<AppEnv> = (c) => c.json({ detail: "Method Not Allowed" }, 405);
