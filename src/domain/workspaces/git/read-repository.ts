import { normalizePath } from "#src/domain/workspaces/files/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import {
  repositoryOf,
  type Repository,
  type RepositoryAddress,
} from "#src/domain/source-control/repositories/index.ts";
import type { GitBranches, GitCommit, GitOperations, GitStatus } from "#src/git/protocol.ts";
import { AppError } from "#src/lib/errors.ts";
import type { FileEntry } from "#src/platform/runtime/project-runtime.ts";
import { optionalBranchName } from "./names.ts";
import { readingRepository, type GitAccess, type GitDeps, type OpenRepository } from "./open-repository.ts";
import { namedRemote, ORIGIN, addressOfOrigin } from "./remotes.ts";

/** The remote; absent for a purely local repository. */
interface KnownRemote {
  origin: RepositoryAddress | undefined;
}

/** The remote of a project; `undefined` for a project without one. */
export async function readInfo(
  deps: Pick<GitDeps, "db">,
  { caller, project }: GitAccess,
): Promise<Repository | undefined> {
  const { id } = await requireProject(deps, caller, project, "git.view");
  return repositoryOf(deps.db, id);
}

export function readStatus(deps: GitDeps, access: GitAccess): Promise<GitStatus> {
  return readingRepository(deps, access, ({ runtime }) => runtime.git("status", {}));
}

/** Commits of a branch, the current one by default, latest first. */
export function readCommits(
  deps: GitDeps,
  access: GitAccess,
  { branch, limit }: { branch?: string | undefined; limit: number },
): Promise<KnownRemote & { branch: string | null; commits: GitCommit[] }> {
  const name = optionalBranchName(branch);
  return readingRepository(deps, access, async ({ runtime }) => {
    const { commits } = await runtime.git("log", { limit, ...(name !== undefined && { branch: name }) });
    const { current } = await runtime.git("branches", {});
    return { commits, branch: name ?? current, origin: await addressOfOrigin(runtime) };
  });
}

interface KnownBranches extends KnownRemote, GitBranches {
  defaultBranch: string | null;
  /** Why the remote's branches are missing, if the remote failed. */
  failure: AppError | undefined;
}

/** The local branches, and those that only `origin` has. */
export function readBranches(deps: GitDeps, access: GitAccess): Promise<KnownBranches> {
  return readingRepository(deps, access, async (repository) => {
    const { runtime, project } = repository;
    const found = await runtime.git("branches", {});
    const row = await repositoryOf(deps.db, project.id);
    const origin = await addressOfOrigin(runtime);
    const { branches, failure } = origin ? await remoteBranches(deps, repository) : NO_BRANCHES;
    const here = new Set(found.branches.map(({ name }) => name));
    const elsewhere = branches.filter(({ name }) => !here.has(name));
    return {
      current: found.current,
      branches: [
        ...found.branches,
        ...elsewhere.map(({ name, sha }) => ({ name, sha, remote: `${ORIGIN}/${name}` })),
      ],
      origin,
      defaultBranch: row?.defaultBranch || found.current,
      failure,
    };
  });
}

const NO_BRANCHES = { branches: [], failure: undefined };

async function remoteBranches(
  deps: GitDeps,
  repository: OpenRepository,
): Promise<{ branches: GitOperations["probe"]["output"]["branches"]; failure: AppError | undefined }> {
  try {
    const remote = await namedRemote(deps, repository, ORIGIN);
    return { ...(await repository.runtime.git("probe", { remote })), failure: undefined };
  } catch (error) {
    // `asleep` means that the project's files are absent, which is not a failure of the remote.
    if (!(error instanceof AppError) || error.code === "asleep") throw error;
    return { branches: [], failure: error };
  }
}

/** Differences between the files and the last commit; of one path if given. */
export function readDiff(
  deps: GitDeps,
  access: GitAccess,
  path: string | undefined,
): Promise<GitOperations["diff"]["output"]> {
  const checked = path === undefined || path.trim() === "" ? undefined : normalizePath(path);
  return readingRepository(deps, access, ({ runtime }) =>
    runtime.git("diff", checked === undefined ? {} : { path: checked }),
  );
}

/** Directories whose content is never part of a repository. */
const LEFT_OUT = [".git", "node_modules"];
/** Further entries are omitted. */
const MAX_ENTRIES = 10_000;

interface RepositoryTree extends KnownRemote {
  /** The checked-out branch, whose files these are; null before the first commit. */
  branch: string | null;
  sha: string | null;
  files: FileEntry[];
  truncated: boolean;
}

/** The current files of the checked-out branch. */
export function readTree(deps: GitDeps, access: GitAccess): Promise<RepositoryTree> {
  return readingRepository(deps, access, async ({ runtime }) => {
    const { current, branches } = await runtime.git("branches", {});
    const found = await runtime.list("", { recursive: true, exclude: LEFT_OUT });
    return {
      branch: current,
      sha: branches.find(({ name }) => name === current)?.sha ?? null,
      origin: await addressOfOrigin(runtime),
      files: found.slice(0, MAX_ENTRIES),
      truncated: found.length > MAX_ENTRIES,
    };
  });
}
