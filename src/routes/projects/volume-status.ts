import { z } from "zod";
import { volumeStatus } from "#src/domain/workspaces/snapshots/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "./project.ts";
import { VolumeId } from "./snapshots/snapshot.ts";

export const getVolumeStatus = endpoint({
  operationId: "getProjectVolume",
  method: "get",
  path: "/api/projects/:project/volume/status",
  summary: "Get a project's volume status",
  description: "Does not wake the project.",
  tag: "Snapshots",
  access: { userOrKey: "snapshot.view" },
  params: ProjectParams,
  response: {
    status: 200,
    schema: z.object({
      status: z.enum(["healthy", "restoring", "unreachable", "unavailable", "no_volume"]),
      node: z.string().describe("Which runtime the files are in"),
      volume_id: VolumeId,
      message: z.string().nullable(),
      recoverable: z.boolean().describe("Whether there is a snapshot to go back to"),
    }),
  },
  async handler({ services, caller, params }) {
    const { projectId, ...told } = await volumeStatus(services, caller, params.project);
    return { ...told, node: services.config.PROJECT_RUNTIME, volume_id: projectId };
  },
});
