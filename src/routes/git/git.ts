import { z } from "zod";
import type { Repository, RepositoryAddress } from "#src/domain/source-control/repositories/index.ts";
import type { GitCommit } from "#src/git/protocol.ts";
import { Message, Moment, text } from "#src/http/schemas.ts";

/** A commit message. */
export const CommitMessage = text({ min: 1, max: 500, trim: true });
export const Branch = text({ max: 200 }).nullish().describe("The current branch when absent");
export const Remote = text({ min: 1, max: 100, trim: true }).default("origin");

export const Done = Message;

/** State of the clone of a repository into a project. */
export const Clone = z
  .object({
    status: z.enum(["cloning", "cloned", "failed"]),
    message: z.string(),
    project_id: z.uuid(),
    repo_url: z.string(),
    repo_name: z.string(),
    branch: z.string().nullable().describe("Null until the default branch is known"),
    progress: z.string().nullable(),
    error: z.string().nullable().describe("Why the clone, or its last attempt, failed"),
    commit_hash: z.string().nullable(),
  })
  .meta({ id: "GitClone" });

const MESSAGES: Record<Repository["syncStatus"], string> = {
  cloning: "The repository is being cloned",
  cloned: "The repository was cloned",
  failed: "The repository could not be cloned",
};

export function describeClone(row: Repository): z.input<typeof Clone> {
  return {
    status: row.syncStatus,
    message: MESSAGES[row.syncStatus],
    project_id: row.projectId,
    repo_url: row.repoUrl,
    repo_name: row.repoName,
    branch: row.defaultBranch === "" ? null : row.defaultBranch,
    progress: row.progress,
    error: row.error,
    commit_hash: row.lastCommitSha,
  };
}

/** The repository that a panel shows, as far as its address identifies it. */
export const PanelHead = {
  owner: z.string().nullable(),
  repo: z.string().nullable(),
  html_url: z.string().nullable(),
};

export function describeOrigin(origin: RepositoryAddress | undefined) {
  return {
    owner: origin?.owner ?? null,
    repo: origin?.name ?? null,
    html_url: origin ? pageOf(origin) : null,
  };
}

/** The web page of a repository at its host: the address without `.git`. */
function pageOf({ url }: RepositoryAddress): string {
  return url.replace(/\.git$/u, "");
}

const Signature = z.object({
  login: z.string().nullable(),
  avatar_url: z.string().nullable(),
  name: z.string(),
  email: z.string(),
  date: z.string(),
});

/** A commit, with the field names of all clients. */
export const Commit = z
  .object({
    sha: z.string(),
    short_sha: z.string(),
    message: z.string(),
    title: z.string().describe("First line of the message"),
    html_url: z.string().nullable(),
    parents: z.array(z.string()),
    author: Signature,
    committer: Signature,
    email: z.string(),
    date: z.string(),
    files_changed: z.int().nullable(),
  })
  .meta({ id: "GitCommit" });

export function describeCommit(commit: GitCommit, page: string | null): z.input<typeof Commit> {
  const sign = (person: GitCommit["author"]) => ({
    login: null,
    avatar_url: null,
    name: person.name,
    email: person.email,
    date: commit.date,
  });
  return {
    sha: commit.sha,
    short_sha: commit.sha.slice(0, 7),
    message: commit.message,
    title: commit.message.split("\n", 1)[0] ?? "",
    html_url: page === null ? null : `${page}/commit/${commit.sha}`,
    parents: commit.parents,
    author: sign(commit.author),
    committer: sign(commit.committer),
    email: commit.author.email,
    date: commit.date,
    files_changed: null,
  };
}

/** The remote of a project. */
export const RepositoryInfo = z
  .object({
    id: z.uuid(),
    project_id: z.uuid(),
    repo_url: z.string(),
    repo_name: z.string(),
    repo_owner: z.string(),
    default_branch: z.string().nullable(),
    sync_status: z.enum(["cloning", "cloned", "failed"]),
    last_sync_at: Moment.nullable(),
    last_commit_sha: z.string().nullable(),
    auto_push: z.boolean(),
    auto_pull: z.boolean(),
    created_at: Moment,
  })
  .meta({ id: "GitRepository" });

export function describeRepository(row: Repository): z.input<typeof RepositoryInfo> {
  return {
    id: row.id,
    project_id: row.projectId,
    repo_url: row.repoUrl,
    repo_name: row.repoName,
    repo_owner: row.repoOwner,
    default_branch: row.defaultBranch === "" ? null : row.defaultBranch,
    sync_status: row.syncStatus,
    last_sync_at: row.lastSyncAt?.toISOString() ?? null,
    last_commit_sha: row.lastCommitSha,
    auto_push: row.autoPush,
    auto_pull: row.autoPull,
    created_at: row.createdAt.toISOString(),
  };
}
