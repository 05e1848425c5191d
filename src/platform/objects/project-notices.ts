import type { ProjectNotice, ProjectSocketsObject } from "#durable-objects/project-sockets/protocol.ts";
import type { Trips } from "#src/platform/trips.ts";

export type { ProjectNotice };

/** How the rest of the code reaches the sockets that are open on a project. */
export interface ProjectNotices {
  /** Tell everybody who listens at this moment; nothing is kept for others. */
  send(projectId: string, notice: ProjectNotice): Promise<void>;
  /** An agent has begun to work, or goes on: the sockets of whoever asked for it show what it does. */
  taskBegan(projectId: string, taskId: string): Promise<void>;
}

/** Notices to the sockets of `ProjectSockets`. Fails where the object does not answer. */
export function projectNotices(
  namespace: DurableObjectNamespace<ProjectSocketsObject>,
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
