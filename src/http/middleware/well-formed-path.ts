import type { MiddlewareHandler } from "hono";
import { requireFilePath } from "#src/domain/workspaces/files/index.ts";
import { AppError } from "#src/lib/errors.ts";

/**
 * Refuses a path whose percent-encoding stands for no text, which would otherwise be taken as it is written, and a file to be
 * put under the name of a directory: routes do not tell whether a path ends with a slash.
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
