import { z } from "zod";
import { bearer, createApiRequest, pathOf } from "./api-request.ts";
import type { GitHost, HostedRepository, HostToken } from "./git-host.ts";
import { createGrants } from "#src/platform/oauth/grants.ts";
import type { HostSettings } from "./settings.ts";

const SCOPE = "repo user:email";

/** Only the fields that are read. Source: GitHub REST API, "Users", "Repositories", "Branches". */
const User = z.object({ login: z.string(), email: z.string().nullish() });
const Repository = z.object({
  id: z.number(),
  name: z.string(),
  full_name: z.string(),
  owner: z.object({ login: z.string() }),
  description: z.string().nullish(),
  clone_url: z.string(),
  html_url: z.string(),
  default_branch: z.string().nullish(),
  private: z.boolean(),
  stargazers_count: z.number().default(0),
  watchers_count: z.number().default(0),
  forks_count: z.number().default(0),
  open_issues_count: z.number().default(0),
  topics: z.array(z.string()).default([]),
  language: z.string().nullish(),
  created_at: z.string().nullish(),
  updated_at: z.string().nullish(),
  pushed_at: z.string().nullish(),
});
const Branches = z.array(
  z.object({
    name: z.string(),
    protected: z.boolean().default(false),
    commit: z.object({ sha: z.string() }),
  }),
);

type Settings = HostSettings & { baseUrl: string; apiBaseUrl: string };

const headersFor = (token: HostToken | null) => ({
  accept: "application/vnd.github+json",
  "x-github-api-version": "2022-11-28",
  ...(token && bearer(token.token)),
});

/** GitHub, or a GitHub Enterprise Server. */
export function createGitHubHost({ baseUrl, apiBaseUrl, registration, fetch }: Settings): GitHost {
  const label = "GitHub";
  const get = createApiRequest({ label, apiUrl: apiBaseUrl, fetch });
  const issuer = `${baseUrl}/login/oauth`;
  return {
    label,
    origin: new URL(baseUrl).origin,
    oauth:
      registration === undefined
        ? null
        : createGrants({
            label,
            issuer,
            authorizationEndpoint: `${issuer}/authorize`,
            tokenEndpoint: `${issuer}/access_token`,
            scope: SCOPE,
            registration,
            fetch,
          }),
    async account(token) {
      const { login, email } = await get("/user", User, headersFor(token));
      return { username: login, email: email ?? null };
    },
    async repositories(token, { page, perPage }) {
      const path = `/user/repos?sort=updated&per_page=${perPage}&page=${page}`;
      return (await get(path, z.array(Repository), headersFor(token))).map(toRepository);
    },
    repository: async (token, owner, name) =>
      toRepository(await get(`/repos/${pathOf(owner, name)}`, Repository, headersFor(token))),
    async branches(token, owner, name) {
      const path = `/repos/${pathOf(owner, name)}/branches?per_page=100`;
      const found = await get(path, Branches, headersFor(token));
      return found.map((each) => ({
        name: each.name,
        sha: each.commit.sha,
        isProtected: each.protected,
      }));
    },
    // Source: docs.github.com, "Authenticating as a GitHub App installation"; GitHub accepts any other user name as
    // well.
    gitCredentials: ({ token }) => ({ username: "x-access-token", password: token }),
  };
}

function toRepository(found: z.output<typeof Repository>): HostedRepository {
  return {
    id: String(found.id),
    owner: found.owner.login,
    name: found.name,
    fullName: found.full_name,
    description: found.description ?? null,
    cloneUrl: found.clone_url,
    htmlUrl: found.html_url,
    defaultBranch: found.default_branch ?? null,
    isPrivate: found.private,
    stars: found.stargazers_count,
    watchers: found.watchers_count,
    forks: found.forks_count,
    openIssues: found.open_issues_count,
    topics: found.topics,
    language: found.language ?? null,
    createdAt: found.created_at ?? null,
    updatedAt: found.updated_at ?? null,
    pushedAt: found.pushed_at ?? null,
  };
}
