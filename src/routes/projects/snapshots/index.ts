import type { Endpoint } from "#src/http/endpoint.ts";
import { createSnapshot } from "./create.ts";
import { getSnapshotDiff } from "./diff.ts";
import { getSnapshotFile } from "./get-file.ts";
import { getSnapshotGraph } from "./graph.ts";
import { listSnapshots } from "./list.ts";
import { restoreSnapshot } from "./restore.ts";

export const snapshotEndpoints: readonly Endpoint[] = [
  listSnapshots,
  createSnapshot,
  getSnapshotGraph,
  restoreSnapshot,
  getSnapshotDiff,
  getSnapshotFile,
];
