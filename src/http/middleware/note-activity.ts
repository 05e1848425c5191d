import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "#src/http/context.ts";
import { touchProjectNowAndThen } from "#src/domain/workspaces/projects/index.ts";

const CHANGING: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/**
 * Records activity in a project, which delays its hibernation, after every request that changes something under
 * `/api/projects/:project`. Changes of files and of the repository record it themselves.
 */
export const noteActivity: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  const project = c.req.param("project");
  const recordsItself = ["files", "git"].includes(c.req.path.split("/")[4] ?? "");
  if (!project || recordsItself || !CHANGING.has(c.req.method) || c.res.status >= 400) return;
  const { db, log } = c.get("services");
  await touchProjectNowAndThen(db, project).catch((cause: unknown) =>
    log.warn("activity was not recorded", { cause }),
  );
};
