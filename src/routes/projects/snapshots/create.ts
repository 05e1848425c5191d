import { z } from "zod";
import * as snapshots from "#src/domain/workspaces/snapshots/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { text } from "#src/http/schemas.ts";
import { ProjectParams } from "../project.ts";
import { VolumeId } from "./snapshot.ts";

export const createSnapshot = endpoint({
  operationId: "createSnapshot",
  method: "post",
  path: "/api/projects/:project/snapshots",
  summary: "Create a snapshot",
  description: "Saves the project's current files.",
  tag: "Snapshots",
  access: { userOrKey: "snapshot.create" },
  countsAsActivity: true,
  params: ProjectParams,
  example: {},
  body: z.object({ label: text({ max: 200, trim: true }).default("") }),
  refusals: [409, 503],
  response: {
    status: 201,
    schema: z.object({ hash: z.string(), label: z.string(), volume_id: VolumeId }),
  },
  async handler({ services, caller, params, body }) {
    const input = { project: params.project, label: body.label };
    const { hash, label, projectId } = await snapshots.createSnapshot(services, caller, input);
    return { hash, label, volume_id: projectId };
  },
});
