import { useQuery } from "@tanstack/preact-query";
import { workspace } from "../../service/workspace.ts";

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
