import type { z } from "zod";
import type { Snapshot as StoredSnapshot } from "#src/domain/workspaces/archives/index.ts";
import type { Snapshot } from "./snapshot.ts";

export function describeSnapshot(snapshot: StoredSnapshot): z.input<typeof Snapshot> {
  const { hash, role, label, createdAt, fileCount, totalBytes, taskId } = snapshot;
  return {
    hash,
    role,
    label,
    ts: createdAt.toISOString(),
    file_count: fileCount,
    total_bytes: totalBytes,
    task_id: taskId,
  };
}
