import { useQuery } from "@tanstack/preact-query";
import { workspace } from "../../service/workspace.ts";

export const snapshotsKey = (project: string) => ["snapshots", project] as const;

/** The snapshots of a project, newest first. */
export const useSnapshots = (project: string) =>
  useQuery({
    queryKey: [...snapshotsKey(project), "list"],
    queryFn: ({ signal }) => workspace.snapshots.list(project, { signal }),
  });

/** What has changed in the files since a snapshot. */
export const useSnapshotDiff = (project: string, hash: string) =>
  useQuery({
    queryKey: [...snapshotsKey(project), hash, "diff"],
    queryFn: ({ signal }) =>
      workspace.request("GET", "/api/projects/{project}/snapshots/{hash}/diff", {
        path: { project, hash },
        signal,
      }),
  });

/** The difference of one file to a snapshot. */
export const useSnapshotFileDiff = (project: string, hash: string, path: string) =>
  useQuery({
    queryKey: [...snapshotsKey(project), hash, "diff", path],
    queryFn: ({ signal }) =>
      workspace.request("GET", "/api/projects/{project}/snapshots/{hash}/diff", {
        path: { project, hash },
        query: { path },
        signal,
      }),
  });
