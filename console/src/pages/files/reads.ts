import { useQuery } from "@tanstack/preact-query";
import { workspace } from "../../service/workspace.ts";

export const treeKey = (project: string) => ["files", project, "tree"] as const;

/** Every file and directory of a project; also those that are no text. */
export const useTree = (project: string) =>
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
  });

/** The lines of a project's files that have a text. */
export const useTextSearch = (project: string, text: string, matchCase: boolean) =>
  useQuery({
    queryKey: ["files", project, "search", text, matchCase],
    queryFn: ({ signal }) =>
      workspace.request("GET", "/api/projects/{project}/files/search", {
        path: { project },
        query: { q: text, case: String(matchCase), limit: 200 },
        signal,
      }),
    enabled: text !== "",
  });
