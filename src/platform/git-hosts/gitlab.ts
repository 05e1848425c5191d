import { z } from "zod";
import { bearer, createApiRequest } from "./api-request.ts";
import type { GitHost, HostedRepository, HostToken } from "./git-host.ts";
import { createGrants } from "#src/platform/oauth/grants.ts";
import type { HostSettings } from "./settings.ts";

/** Includes write access, because otherwise only personal tokens could push. */
const SCOPE = "read_user read_repository write_repository read_api";

/** Only the fields that are read. Source: GitLab REST API, "Users", "Projects", "Branches". */
const User = z.object({ username: z.string(), email: z.string().nullish() });
const Project = z.object({
  id: z.number(),
  path: z.string(),
  path_with_namespace: z.string(),
  description: z.string().nullish(),
  http_url_to_repo: z.string(),
  web_url: z.string(),
  default_branch: z.string().nullish(),
  visibility: z.string().nullish(),
  star_count: z.number().default(0),
  forks_count: z.number().default(0),
  open_issues_count: z.number().default(0),
  topics: z.array(z.string()).default([]),
  created_at: z.string().nullish(),
  last_activity_at: z.string().nullish(),
});
const Branches = z.array(
  z.object({ name: z.string(), protected: z.boolean().default(false), commit: z.object({ id: z.string() }) }),
);

type Settings = HostSettings & { baseUrl: string };

/** Tokens of both kinds are accepted as bearer tokens. Source: docs.gitlab.com, "REST API authentication". */
const headersFor = (token: HostToken | null) => (token ? bearer(token.token) : {});
const projectPath = (owner: string, name: string) => `/projects/${encodeURIComponent(`${owner}/${name}`)}`;

/** GitLab.com, or a self-managed GitLab. */
export function createGitLabHost({ baseUrl, registration, fetch }: Settings): GitHost {
  const label = "GitLab";
  const get = createApiRequest({ label, apiUrl: `${baseUrl}/api/v4`, fetch });
  return {
    label,
    origin: new URL(baseUrl).origin,
    oauth:
      registration === undefined
        ? null
        : createGrants({
            label,
            issuer: baseUrl,
            authorizationEndpoint: `${baseUrl}/oauth/authorize`,
            tokenEndpoint: `${baseUrl}/oauth/token`,
            scope: SCOPE,
            registration,
            fetch,
          }),
    async account(token) {
      const { username, email } = await get("/user", User, headersFor(token));
      return { username, email: email ?? null };
    },
    async repositories(token, { page, perPage }) {
      const path = `/projects?membership=true&order_by=last_activity_at&per_page=${perPage}&page=${page}`;
      return (await get(path, z.array(Project), headersFor(token))).map(toRepository);
    },
    repository: async (token, owner, name) =>
      toRepository(await get(projectPath(owner, name), Project, headersFor(token))),
    async branches(token, owner, name) {
      const path = `${projectPath(owner, name)}/repository/branches?per_page=100`;
      const found = await get(path, Branches, headersFor(token));
      return found.map((each) => ({
        name: each.name,
        sha: each.commit.id,
        isProtected: each.protected,
      }));
    },
    // Source: docs.gitlab.com, "OAuth 2.0 identity provider API", "Access Git over HTTPS"; personal tokens work with
    // any user name.
    gitCredentials: ({ token }) => ({ username: "oauth2", password: token }),
  };
}

function toRepository(found: z.output<typeof Project>): HostedRepository {
  const full = found.path_with_namespace;
  return {
    id: String(found.id),
    owner: full.slice(0, Math.max(0, full.lastIndexOf("/"))),
    name: found.path,
    fullName: full,
    description: found.description ?? null,
    cloneUrl: found.http_url_to_repo,
    htmlUrl: found.web_url,
    defaultBranch: found.default_branch ?? null,
    isPrivate: (found.visibility ?? "public") !== "public",
    stars: found.star_count,
    watchers: found.star_count,
    forks: found.forks_count,
    openIssues: found.open_issues_count,
    topics: found.topics,
    language: null,
    createdAt: found.created_at ?? null,
    updatedAt: found.last_activity_at ?? null,
    pushedAt: found.last_activity_at ?? null,
  };
}
