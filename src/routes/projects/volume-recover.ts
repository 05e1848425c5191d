import { z } from "zod";
import { recoverProject } from "#src/domain/workspaces/snapshots/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "./project.ts";
import { SnapshotHash } from "./snapshots/snapshot.ts";

export const recoverVolume = endpoint({
  operationId: "recoverProjectVolume",
  method: "post",
  path: "/api/projects/:project/volume/recover",
  summary: "Restore a project's files",
  description: "From the snapshot that is named. Without one, the project keeps the files that it has.",
  tag: "Snapshots",
  access: { userOrKey: "snapshot.restore" },
  countsAsActivity: true,
  params: ProjectParams,
  example: {},
  body: z.object({ target_hash: SnapshotHash.nullish() }),
  refusals: [409, 503],
  response: {
    status: 200,
    schema: z.object({
      status: z.literal("recovered"),
      node: z.string().describe("Which runtime the files are in"),
      action: z
        .enum(["restored", "none"])
        .describe("`none`: the files were present, or were restored automatically"),
      restored_hash: z.string().nullable(),
    }),
  },
  async handler({ services, caller, params, body }) {
    const input = { project: params.project, hash: body.target_hash ?? undefined };
    const { action, hash } = await recoverProject(services, caller, input);
    const node = services.config.PROJECT_RUNTIME;
    return { status: "recovered" as const, node, action, restored_hash: hash };
  },
});
