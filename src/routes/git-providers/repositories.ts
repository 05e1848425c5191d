import { z } from "zod";
import {
  hostedBranches,
  hostedRepositories,
  hostedRepository,
} from "#src/domain/source-control/git-hosts/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import {
  describeHosted,
  describeHostedBranch,
  HOST,
  HostedBranchItem,
  HostedRepositoryItem,
  HostParams,
  RepositoryParams,
} from "./provider.ts";

export const listHosted = endpoint({
  operationId: "listGitHostRepositories",
  method: "get",
  path: `/api/git-providers/${HOST}/repositories`,
  summary: "List git host repositories",
  description: "Repositories that the caller's connected account can reach, recently changed ones first.",
  tag: "Git hosts",
  access: { user: "any" },
  params: HostParams,
  query: z.object({
    page: z.coerce.number().int().min(1).max(1000).default(1),
    per_page: z.coerce.number().int().min(1).max(100).default(100),
  }),
  refusals: [503],
  response: { status: 200, schema: z.object({ repositories: z.array(HostedRepositoryItem) }) },
  async handler({ services, caller, params, query }) {
    const page = { page: query.page, perPage: query.per_page };
    const found = await hostedRepositories(services, caller.userId, params.git_host, page);
    return { repositories: found.map(describeHosted) };
  },
});

export const getHosted = endpoint({
  operationId: "getGitHostRepository",
  method: "get",
  path: `/api/git-providers/${HOST}/repositories/:owner/:repository`,
  summary: "Get a git host repository",
  tag: "Git hosts",
  access: { user: "any" },
  params: RepositoryParams,
  refusals: [400, 503],
  response: { status: 200, schema: HostedRepositoryItem },
  handler: async ({ services, caller, params }) =>
    describeHosted(await hostedRepository(services, caller.userId, params.git_host, params)),
});

export const listHostedBranches = endpoint({
  operationId: "listGitHostBranches",
  method: "get",
  path: `/api/git-providers/${HOST}/repositories/:owner/:repository/branches`,
  summary: "List git host branches",
  tag: "Git hosts",
  access: { user: "any" },
  params: RepositoryParams,
  refusals: [400, 503],
  response: { status: 200, schema: z.object({ branches: z.array(HostedBranchItem) }) },
  async handler({ services, caller, params }) {
    const found = await hostedBranches(services, caller.userId, params.git_host, params);
    return { branches: found.map(describeHostedBranch) };
  },
});
