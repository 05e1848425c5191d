import { z } from "zod";
import { restoreProject } from "#src/domain/workspaces/snapshots/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { SnapshotParams } from "./snapshot.ts";

export const restoreSnapshot = endpoint({
  operationId: "restoreSnapshot",
  method: "post",
  path: "/api/projects/:project/snapshots/:hash/restore",
  summary: "Restore a snapshot",
  description: "The current files are saved as a snapshot first.",
  tag: "Snapshots",
  access: { userOrKey: "snapshot.restore" },
  countsAsActivity: true,
  params: SnapshotParams,
  refusals: [409, 503],
  response: {
    status: 200,
    schema: z.object({
      success: z.literal(true),
      message: z.string(),
      restored_hash: z.string(),
      node: z.string().describe("Which runtime the files are in"),
    }),
  },
  async handler({ services, caller, params }) {
    await restoreProject(services, caller, params);
    return {
      success: true as const,
      message: "The files of the project are those of the snapshot",
      restored_hash: params.hash,
      node: services.config.PROJECT_RUNTIME,
    };
  },
});
