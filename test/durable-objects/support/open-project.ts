import { runInDurableObject } from "cloudflare:test";
import type { ProjectWorkspace } from "#durable-objects/project-workspace/index.ts";
import { embeddedWorkspaces } from "#src/platform/runtime/embedded/index.ts";
import { newTrips } from "#src/platform/trips.ts";
import { bindings } from "./bindings.ts";

const namespace = bindings.PROJECT_WORKSPACE;
export const bucket = bindings.PROJECT_FILES;
export const workspaces = embeddedWorkspaces(namespace, newTrips());

/** A new project: its id, its runtime, and the object that holds it. */
export function openProject() {
  const project = crypto.randomUUID();
  return { project, runtime: workspaces.runtime(project), stub: namespace.getByName(project) };
}

/** What a project has in the bucket. */
export async function keysOf(project: string): Promise<string[]> {
  return (await bucket.list({ prefix: `projects/${project}/` })).objects.map(({ key }) => key);
}

/** As if an hour went by: time itself is not ours to move. */
export function age(stub: DurableObjectStub<ProjectWorkspace>): Promise<void> {
  return runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec("UPDATE unreferenced SET since = since - 60 * 60 * 1000");
    storage.sql.exec("UPDATE shells SET ended_at = ended_at - 60 * 60 * 1000");
  });
}
