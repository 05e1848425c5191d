import type { MiddlewareHandler } from "hono";
import { requireFilePath } from "#src/domain/workspaces/files/index.ts";
import { AppError } from "#src/lib/errors.ts";

/**
 * Refuses malformed percent-encoding, which would otherwise be used undecoded. Refuses to write a file at a path that
 * ends with a slash, because routes do not see a trailing slash.
 */
export const wellFormedPath: MiddlewareHandler = async (c, next) => {
  const { pathname } = new URL(c.req.url);
  try {
    decodeURIComponent(pathname);
  } catch {
    throw new AppError("invalid_input", "The path's percent-encoding is malformed");
  }
  if (c.req.method === "PUT") requireFilePath(pathname);
  await next();
};
