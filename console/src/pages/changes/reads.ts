import { useQuery } from "@tanstack/preact-query";
import { workspace } from "../../service/workspace.ts";

export const gitKey = (project: string) => ["git", project] as const;

export const useStatus = (project: string) =>
  useQuery({
    queryKey: [...gitKey(project), "status"],
    queryFn: ({ signal }) => workspace.git.status(project, { signal }),
  });

/** The difference of one file to the last commit. */
export const useFileDiff = (project: string, path: string) =>
  useQuery({
    queryKey: [...gitKey(project), "diff", path],
    queryFn: ({ signal }) => workspace.git.diff(project, { file_path: path }, { signal }),
  });

export const useBranches = (project: string) =>
  useQuery({
    queryKey: [...gitKey(project), "branches"],
    queryFn: ({ signal }) => workspace.git.branches(project, { signal }),
  });

export const useCommits = (project: string) =>
  useQuery({
    queryKey: [...gitKey(project), "commits"],
    queryFn: ({ signal }) => workspace.git.commits(project, { limit: 30 }, { signal }),
  });
