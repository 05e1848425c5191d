import type { Project } from "./queries.ts";

/**
 * The state a project is shown in. Stored is the last one it was in: on the way to another it stays, except that a project
 * which is being brought up is `starting`. One that runs already, of which a part is being started, goes on running.
 */
export function shownStatus({
  status,
  wanted,
  startedAt,
}: Pick<Project, "status" | "wanted" | "startedAt">): Project["status"] {
  const isUp = status === "running" && startedAt !== null;
  return wanted === "running" && status !== "initializing" && !isUp ? "starting" : status;
}
