import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "#src/http/context.ts";
import { touchProjectNowAndThen } from "#src/domain/workspaces/projects/index.ts";

/** Records activity in the path's `:project` after a request that succeeded. */
export const noteActivity: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next();
  const project = c.req.param("project");
  if (!project || c.res.status >= 400) return;
  const { db, log } = c.get("services");
  await touchProjectNowAndThen(db, project).catch((cause: unknown) =>
    log.warn("activity was not recorded", { cause }),
  );
};
