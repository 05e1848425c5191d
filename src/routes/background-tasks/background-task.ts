import { z } from "zod";
import type { BackgroundTask as StoredTask } from "#src/domain/workspaces/background-tasks/index.ts";
import { JsonObject, Moment } from "#src/http/schemas.ts";

export const TaskParams = z.object({ background_task: z.string().describe("Id of the task") });

/** Work on a project or a container that clients wait for. */
export const BackgroundTask = z
  .object({
    id: z.uuid(),
    user_id: z.uuid(),
    type: z.enum(["project_creation", "project_deletion", "container_start", "container_restart"]),
    status: z.enum(["queued", "running", "completed", "failed", "cancelled"]),
    created_at: Moment,
    started_at: Moment.nullable(),
    completed_at: Moment.nullable(),
    progress: z.object({
      current: z.number(),
      total: z.number(),
      percentage: z.number(),
      message: z.string(),
    }),
    result: JsonObject.nullable(),
    error: z.string().nullable(),
    logs: z.array(z.string()).describe("The last 50 lines"),
    metadata: z.object({ project_id: z.uuid(), container_id: z.uuid().nullable() }),
  })
  .meta({ id: "BackgroundTask" });

export function describeTask(task: StoredTask): z.input<typeof BackgroundTask> {
  const { current, total } = task.progress;
  return {
    id: task.id,
    user_id: task.userId,
    type: task.type,
    status: task.status,
    created_at: task.createdAt.toISOString(),
    started_at: task.startedAt?.toISOString() ?? null,
    completed_at: task.completedAt?.toISOString() ?? null,
    progress: { ...task.progress, percentage: Math.round((current / total) * 100) },
    result: task.result,
    error: task.error,
    logs: task.logs,
    metadata: { project_id: task.projectId, container_id: task.containerId },
  };
}
