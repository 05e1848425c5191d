import { z } from "zod";
import type { BrowserPreview as StoredPreview } from "#src/domain/workspaces/containers/index.ts";
import { Moment, text } from "#src/http/schemas.ts";

export const PreviewParams = z.object({
  project: z.string().describe("Id or slug of the project"),
  preview: z.string().describe("Id of the browser preview"),
});

/** Fields that a client sets, all optional. */
export const PreviewBody = z
  .object({
    position_x: z.number().optional(),
    position_y: z.number().optional(),
    connected_container_id: z.uuid().nullable().optional(),
    current_path: text({ min: 1, max: 2048 }).optional(),
  })
  .meta({ id: "BrowserPreviewFields" });

/** The body under the domain's names. */
export function previewChange(body: z.output<typeof PreviewBody>) {
  return {
    positionX: body.position_x,
    positionY: body.position_y,
    connectedContainerId: body.connected_container_id,
    currentPath: body.current_path,
  };
}

export const BrowserPreview = z
  .object({
    id: z.uuid(),
    project_id: z.uuid(),
    connected_container_id: z.uuid().nullable(),
    position_x: z.number(),
    position_y: z.number(),
    current_path: z.string(),
    created_at: Moment,
    updated_at: Moment.nullable(),
  })
  .meta({ id: "BrowserPreview" });

export function describePreview(preview: StoredPreview): z.input<typeof BrowserPreview> {
  return {
    id: preview.id,
    project_id: preview.projectId,
    connected_container_id: preview.connectedContainerId,
    position_x: preview.positionX,
    position_y: preview.positionY,
    current_path: preview.currentPath,
    created_at: preview.createdAt.toISOString(),
    updated_at: preview.updatedAt?.toISOString() ?? null,
  };
}
