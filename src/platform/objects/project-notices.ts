import type { ProjectSockets } from "#durable-objects/project-sockets/index.ts";
import type { Trips } from "#src/platform/trips.ts";

/** What the people who have a project open are told while it changes. */
export type ProjectNotice =
  | { type: "idle_warning"; minutes_until_shutdown: number; message: string }
  | { type: "environment_stopping"; message: string }
  | { type: "environment_stopped"; reason: string; message: string }
  | { type: "volume_restoring" | "volume_ready"; message: string }
  /** How far a start is, in percent. */
  | { container_status: string; phase: string; progress: number; message: string };

/** How the rest of the code reaches the sockets that are open on a project. */
export interface ProjectNotices {
  /** Tell everybody who listens at this moment; nothing is kept for others. */
  send(projectId: string, notice: ProjectNotice): Promise<void>;
  /** An agent has begun to work, or goes on: the sockets of whoever asked for it show what it does. */
  taskBegan(projectId: string, taskId: string): Promise<void>;
}

/** Notices to the sockets of `ProjectSockets`. Fails where the object does not answer. */
export function projectNotices(
  namespace: DurableObjectNamespace<ProjectSockets>,
  trips: Trips,
): ProjectNotices {
  return {
    async send(projectId, notice) {
      trips.objects += 1;
      await namespace.getByName(projectId).notify(notice);
    },
    async taskBegan(projectId, taskId) {
      trips.objects += 1;
      await namespace.getByName(projectId).taskBegan(taskId);
    },
  };
}
