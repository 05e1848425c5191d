import { z } from "zod";
import {
  describeRemoteRepository,
  disconnectRepository,
  readInfo,
  readTree,
} from "#src/domain/workspaces/git/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { ProjectParams } from "../projects/project.ts";
import { describeOrigin, describeRepository, Done, PanelHead, RepositoryInfo } from "./git.ts";

export const info = endpoint({
  operationId: "getGitRemote",
  method: "get",
  path: "/api/projects/:project/git/info",
  summary: "Get the remote repository",
  description: "Null for a project without one.",
  tag: "Git",
  access: { userOrKey: "git.view" },
  params: ProjectParams,
  response: { status: 200, schema: RepositoryInfo.nullable() },
  async handler({ services, caller, params }) {
    const row = await readInfo(services, { caller, project: params.project });
    return row ? describeRepository(row) : null;
  },
});

export const disconnect = endpoint({
  operationId: "disconnectGitRemote",
  method: "delete",
  path: "/api/projects/:project/git/disconnect",
  summary: "Disconnect the remote repository",
  description: "The project's files and its history stay.",
  tag: "Git",
  access: { userOrKey: "git.write" },
  params: ProjectParams,
  refusals: [409],
  response: { status: 200, schema: Done },
  async handler({ services, caller, params }) {
    await disconnectRepository(services, { caller, project: params.project });
    return { message: "The project is no longer connected to its repository" };
  },
});

const TreeEntry = z.object({
  path: z.string(),
  name: z.string(),
  is_dir: z.boolean(),
  size: z.int(),
  mod_time: z.number().describe("Seconds since the epoch"),
  sha: z.string().nullable(),
});

export const tree = endpoint({
  operationId: "listGitFiles",
  method: "get",
  path: "/api/projects/:project/git/tree",
  summary: "List repository files",
  description:
    "Files of the branch that is checked out. For another branch, `error` says that it is not checked out.",
  tag: "Git",
  access: { userOrKey: "git.view" },
  params: ProjectParams,
  query: z.object({ branch: z.string().optional() }),
  refusals: [409, 503],
  response: {
    status: 200,
    schema: z
      .object({
        status: z.enum(["ready", "error"]),
        message: z.string().optional(),
        source: z.literal("local"),
        ...PanelHead,
        branch: z.string().nullable(),
        sha: z.string().nullable(),
        truncated: z.boolean(),
        files: z.array(TreeEntry),
      })
      .meta({ id: "GitTree" }),
  },
  async handler({ services, caller, params, query }) {
    const found = await readTree(services, { caller, project: params.project });
    const asked = query.branch?.trim() || found.branch;
    const head = { source: "local" as const, ...describeOrigin(found.origin), branch: asked };
    if (asked !== found.branch) {
      const message = `Switch to the branch first: ${found.branch ?? "no branch"} is checked out`;
      return { status: "error" as const, message, ...head, sha: null, truncated: false, files: [] };
    }
    const files = found.files.map(({ path, name, kind, size, modifiedAt }) => ({
      path,
      name,
      is_dir: kind === "directory",
      size,
      mod_time: modifiedAt / 1000,
      sha: null,
    }));
    return { status: "ready" as const, ...head, sha: found.sha, truncated: found.truncated, files };
  },
});

const Count = z.int();

const RemoteInfo = z
  .object({
    status: z.enum(["ready", "local", "no_remote", "error"]),
    message: z.string().optional(),
    http_status: z.int().optional().describe("HTTP status that corresponds to the failure"),
    ...PanelHead,
    description: z.string().nullable(),
    default_branch: z.string().nullable(),
    stars: Count,
    watchers: Count,
    forks: Count,
    open_issues: Count,
    pushed_at: z.string().nullable(),
    updated_at: z.string().nullable(),
    created_at: z.string().nullable(),
    is_private: z.boolean().nullable(),
    topics: z.array(z.string()),
    contributors: z.array(z.unknown()),
    open_pulls: z.array(z.unknown()),
    open_pulls_count: Count,
  })
  .meta({ id: "GitRemoteRepository" });

/** Values for a repository without data from a host. */
const UNKNOWN = {
  description: null,
  default_branch: null,
  stars: 0,
  watchers: 0,
  forks: 0,
  open_issues: 0,
  pushed_at: null,
  updated_at: null,
  created_at: null,
  is_private: null,
  topics: [],
  contributors: [],
  open_pulls: [],
  open_pulls_count: 0,
};

export const repoInfo = endpoint({
  operationId: "getGitRemoteDetails",
  method: "get",
  path: "/api/projects/:project/git/repo-info",
  summary: "Get the git host's repository data",
  description: "A failure of the git host is reported in the response, not as an error.",
  tag: "Git",
  access: { userOrKey: "git.view" },
  params: ProjectParams,
  refusals: [409, 503],
  response: { status: 200, schema: RemoteInfo },
  async handler({ services, caller, params }): Promise<z.input<typeof RemoteInfo>> {
    const found = await describeRemoteRepository(services, { caller, project: params.project });
    if (found.kind === "no_remote") return { status: "no_remote", ...describeOrigin(undefined), ...UNKNOWN };
    const head = describeOrigin(found.origin);
    if (found.kind === "unknown") return { status: "local", ...head, ...UNKNOWN };
    if (found.kind === "failed") {
      return { status: "error", message: found.message, http_status: found.status, ...head, ...UNKNOWN };
    }
    const { repository } = found;
    return {
      ...UNKNOWN,
      status: "ready",
      owner: repository.owner,
      repo: repository.name,
      html_url: repository.htmlUrl,
      description: repository.description,
      default_branch: repository.defaultBranch,
      stars: repository.stars,
      watchers: repository.watchers,
      forks: repository.forks,
      open_issues: repository.openIssues,
      pushed_at: repository.pushedAt,
      updated_at: repository.updatedAt,
      created_at: repository.createdAt,
      is_private: repository.isPrivate,
      topics: repository.topics,
    };
  },
});
