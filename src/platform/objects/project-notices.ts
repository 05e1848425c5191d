import type { ProjectNotice, ProjectSocketsObject } from "#durable-objects/project-sockets/protocol.ts";
import type { Trips } from "#src/platform/trips.ts";

export type { ProjectNotice };

/** Sends notices to the open sockets of a project. */
export interface ProjectNotices {
  /** Notifies all sockets open at this moment; the notice is not stored. */
  send(projectId: string, notice: ProjectNotice): Promise<void>;
  /** An agent has started or continued a task: the sockets of the task's user show its events. */
  taskBegan(projectId: string, taskId: string): Promise<void>;
}

/** Sends notices through `ProjectSockets`. Throws when the object does not respond. */
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
