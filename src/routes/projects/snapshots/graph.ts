import { z } from "zod";
import { listSnapshots } from "#src/domain/workspaces/snapshots/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../project.ts";
import { describeSnapshot } from "./describe-snapshot.ts";
import { Snapshot } from "./snapshot.ts";

const Graph = z.object({
  head: z.string().nullable().describe("Hash of the newest snapshot"),
  branches: z.array(
    z.object({
      name: z.string(),
      display_name: z.string(),
      hash: z.string(),
      is_current: z.boolean(),
      checkpoint_count: z.int(),
    }),
  ),
  snapshots: z.array(
    Snapshot.extend({
      parent: z.string().nullable(),
      prev: z.string().nullable().describe("Hash of the parent snapshot, which may have been deleted"),
      consolidation: z.literal(false),
    }),
  ),
});

export const getSnapshotGraph = endpoint({
  operationId: "getSnapshotGraph",
  method: "get",
  path: "/api/projects/:project/snapshots/graph",
  summary: "Get the snapshot graph",
  description: "Each snapshot with its parent. There is one branch, `main`.",
  tag: "Snapshots",
  access: { userOrKey: "snapshot.view" },
  params: ProjectParams,
  response: { status: 200, schema: Graph },
  async handler({ services, caller, params }) {
    const { snapshots } = await listSnapshots(services, caller, params.project);
    const head = snapshots[0]?.hash ?? null;
    const main = { name: "main", display_name: "main", is_current: true, checkpoint_count: snapshots.length };
    return {
      head,
      branches: head === null ? [] : [{ ...main, hash: head }],
      snapshots: snapshots.map((snapshot) => ({
        ...describeSnapshot(snapshot),
        parent: snapshot.parentHash,
        prev: snapshot.parentHash,
        consolidation: false as const,
      })),
    };
  },
});
