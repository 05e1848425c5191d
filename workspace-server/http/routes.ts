import type { Workspace } from "../workspace.ts";
import type { Route } from "./exchange.ts";
import { fileRoutes } from "./file-routes.ts";
import { programRoutes } from "./program-routes.ts";
import { storageRoutes } from "./storage-routes.ts";

/** All routes of the workspace server, except those to programs' ports. */
export function routes(workspace: Workspace): Route[] {
  return [...fileRoutes(workspace), ...storageRoutes(workspace), ...programRoutes(workspace)];
}
