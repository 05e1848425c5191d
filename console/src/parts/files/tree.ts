import { useQuery } from "@tanstack/preact-query";
import { workspace } from "../../service/workspace.ts";

export const treeKey = (project: string) => ["files", project, "tree"] as const;

/** Every file and directory of a project, also those that are no text; not read before it is wanted. */
export const useTree = (project: string, isWanted = true) =>
  useQuery({
    queryKey: treeKey(project),
    queryFn: ({ signal }) =>
      workspace.request("GET", "/api/projects/{project}/files/tree", {
        path: { project },
        query: { all: "true" },
        signal,
      }),
    // While no page of files was shown, nothing told of their changes.
    staleTime: 0,
    enabled: isWanted,
  });
