import { z } from "zod";
import type { Connection as StoredConnection } from "#src/domain/workspaces/containers/index.ts";
import { JsonObject, Moment } from "#src/http/schemas.ts";

export const Connection = z
  .object({
    id: z.uuid(),
    project_id: z.uuid(),
    source_container_id: z.uuid(),
    target_container_id: z.uuid(),
    connection_type: z.literal("depends_on"),
    connector_type: z.literal("env_injection"),
    config: JsonObject,
    label: z.string().nullable(),
    created_at: Moment,
  })
  .meta({ id: "ContainerConnection" });

export function describeConnection(connection: StoredConnection): z.input<typeof Connection> {
  return {
    id: connection.id,
    project_id: connection.projectId,
    source_container_id: connection.sourceContainerId,
    target_container_id: connection.targetContainerId,
    connection_type: "depends_on",
    connector_type: "env_injection",
    config: { env_mapping: {}, ...connection.config },
    label: connection.label,
    created_at: connection.createdAt.toISOString(),
  };
}
