import type { Project } from "./queries/projects.ts";

/**
 * The status that clients see. The stored status is the last settled one, and is also shown during a transition, except
 * that a project being started is `starting`. A running project of which a container is being started stays `running`.
 */
export function shownStatus({
  status,
  wanted,
  startedAt,
}: Pick<Project, "status" | "wanted" | "startedAt">): Project["status"] {
  const isUp = status === "running" && startedAt !== null;
  return wanted === "running" && status !== "initializing" && !isUp ? "starting" : status;
}
