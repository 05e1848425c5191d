import { z } from "zod";
import { pathFromRoot } from "#src/domain/workspaces/files/index.ts";
import {
  diffSnapshot,
  diffSnapshotFile,
  type SnapshotChange,
} from "#src/domain/workspaces/snapshots/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { SnapshotParams } from "./snapshot.ts";

const Change = z
  .object({
    path: z.string(),
    change: z.enum(["added", "changed", "deleted"]),
    size: z.int().nullable().describe("Bytes now; null for a deleted file"),
    size_before: z.int().nullable().describe("Bytes in the snapshot; null for an added file"),
    certain: z.boolean().describe("False if there was too much to compare: the content may be the same"),
  })
  .meta({ id: "SnapshotChange" });

export const getSnapshotDiff = endpoint({
  operationId: "getSnapshotDiff",
  method: "get",
  path: "/api/projects/:project/snapshots/:hash/diff",
  summary: "Compare a snapshot with now",
  description:
    "What has changed in the project's files since the snapshot, by path, at most 1,000 of them. Leaves out `.git` and `node_modules`. With `path`, the unified diff of one text file.",
  tag: "Snapshots",
  access: { userOrKey: "file.read" },
  params: SnapshotParams,
  query: z.object({ path: z.string().optional().describe("A file of the snapshot or of the project") }),
  refusals: [409, 413, 503],
  response: {
    status: 200,
    schema: z.object({
      hash: z.string(),
      files: z.array(Change),
      total: z.int().describe("Number of all changes"),
      truncated: z.boolean().describe("Whether there are more changes than are listed"),
      diff: z
        .string()
        .nullable()
        .optional()
        .describe("With `path`: the unified diff, empty if nothing has changed; null if it is omitted"),
      diff_omitted: z
        .enum(["binary", "too_large"])
        .optional()
        .describe("Why there is no diff: the file is not text, or more than 1 MiB or 1,500 changed lines"),
    }),
  },
  async handler({ services, caller, params, query }) {
    if (query.path === undefined) {
      const { changes, total } = await diffSnapshot(services, caller, params);
      const files = changes.map(describe);
      return { hash: params.hash, files, total, truncated: total > files.length };
    }
    const path = pathFromRoot(query.path);
    const { change, diff } = await diffSnapshotFile(services, caller, { ...params, path });
    const files = change ? [describe(change)] : [];
    const found = { hash: params.hash, files, total: files.length, truncated: false };
    if ("text" in diff) return { ...found, diff: diff.text };
    return { ...found, diff: null, diff_omitted: diff.omitted };
  },
});

function describe({ path, change, size, sizeBefore, isCertain }: SnapshotChange): z.input<typeof Change> {
  return { path, change, size, size_before: sizeBefore, certain: isCertain };
}
