import { z } from "zod";
import * as snapshots from "#src/domain/workspaces/snapshots/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../project.ts";
import { describeSnapshot } from "./describe-snapshot.ts";
import { Snapshot, VolumeId } from "./snapshot.ts";

export const listSnapshots = endpoint({
  operationId: "listSnapshots",
  method: "get",
  path: "/api/projects/:project/snapshots",
  summary: "List snapshots",
  description: "Newest first.",
  tag: "Snapshots",
  access: { userOrKey: "snapshot.view" },
  params: ProjectParams,
  response: { status: 200, schema: z.object({ snapshots: z.array(Snapshot), volume_id: VolumeId }) },
  async handler({ services, caller, params }) {
    const found = await snapshots.listSnapshots(services, caller, params.project);
    return { snapshots: found.snapshots.map(describeSnapshot), volume_id: found.projectId };
  },
});
