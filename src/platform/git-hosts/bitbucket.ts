import { ClientSecretBasic } from "oauth4webapi";
import { z } from "zod";
import { bearer, createApiRequest, pathOf } from "./api-request.ts";
import type { GitHost, HostedRepository, HostToken } from "./git-host.ts";
import { createGrants } from "#src/platform/oauth/grants.ts";
import type { HostSettings } from "./settings.ts";

/** Includes write access, because otherwise only API tokens could push. */
const SCOPE = "account repository repository:write";
/** Most workspaces whose repositories are listed. */
const MAX_WORKSPACES = 20;

/** Only the fields that are read. Source: Bitbucket Cloud REST API, "Users", "Repositories", "Refs". */
const User = z.object({ username: z.string().nullish(), nickname: z.string().nullish(), uuid: z.string() });
const Emails = z.object({
  values: z.array(z.object({ email: z.string(), is_primary: z.boolean().default(false) })),
});
const Repository = z.object({
  uuid: z.string(),
  name: z.string(),
  full_name: z.string(),
  description: z.string().nullish(),
  is_private: z.boolean().default(true),
  language: z.string().nullish(),
  mainbranch: z.object({ name: z.string() }).nullish(),
  created_on: z.string().nullish(),
  updated_on: z.string().nullish(),
  links: z.object({
    html: z.object({ href: z.string() }),
    clone: z.array(z.object({ name: z.string(), href: z.string() })).default([]),
  }),
});
const Page = z.object({ values: z.array(Repository) });
const Workspaces = z.object({ values: z.array(z.object({ workspace: z.object({ slug: z.string() }) })) });
const Branches = z.object({
  values: z.array(z.object({ name: z.string(), target: z.object({ hash: z.string() }) })),
});

type Settings = HostSettings & { baseUrl: string; apiBaseUrl: string };

/** Bitbucket Cloud. */
export function createBitbucketHost({ baseUrl, apiBaseUrl, registration, fetch }: Settings): GitHost {
  const label = "Bitbucket";
  const get = createApiRequest({ label, apiUrl: `${apiBaseUrl}/2.0`, fetch });
  return {
    label,
    origin: new URL(baseUrl).origin,
    oauth:
      registration === undefined
        ? null
        : createGrants({
            label,
            issuer: baseUrl,
            authorizationEndpoint: `${baseUrl}/site/oauth2/authorize`,
            tokenEndpoint: `${baseUrl}/site/oauth2/access_token`,
            scope: SCOPE,
            registration,
            fetch,
            authenticate: ClientSecretBasic,
          }),
    async account(token) {
      const headers = headersFor(token);
      const { username, nickname, uuid } = await get("/user", User, headers);
      // Emails need a separate permission; the account is usable without it.
      const emails = await get("/user/emails", Emails, headers).catch(() => undefined);
      const email = emails?.values.find((each) => each.is_primary)?.email ?? token.login ?? null;
      return { username: username ?? nickname ?? uuid, email };
    },
    // A page contains this page of each workspace: the API lists no repositories across them (its changelog,
    // CHANGE-2770).
    async repositories(token, { page, perPage }) {
      const headers = headersFor(token);
      const { values } = await get(`/user/workspaces?pagelen=${MAX_WORKSPACES}`, Workspaces, headers);
      const query = `role=member&sort=-updated_on&pagelen=${perPage}&page=${page}`;
      const pages = await Promise.all(
        values.map(({ workspace }) => get(`/repositories/${pathOf(workspace.slug)}?${query}`, Page, headers)),
      );
      return pages
        .flatMap((each) => each.values.map(toRepository))
        .toSorted((a, b) => (b.updatedAt ?? "").localeCompare(a.updatedAt ?? ""));
    },
    repository: async (token, owner, name) =>
      toRepository(await get(`/repositories/${pathOf(owner, name)}`, Repository, headersFor(token))),
    async branches(token, owner, name) {
      const path = `/repositories/${pathOf(owner, name)}/refs/branches?pagelen=100`;
      const { values } = await get(path, Branches, headersFor(token));
      return values.map((each) => ({ name: each.name, sha: each.target.hash, isProtected: false }));
    },
    // Sources: Atlassian support, "Use OAuth on Bitbucket Cloud" and "Using API tokens".
    gitCredentials: ({ authType, token, login }) => ({
      username: authType === "personal_access_token" && login ? "x-bitbucket-api-token-auth" : "x-token-auth",
      password: token,
    }),
  };
}

/** An API token is sent with its account's email address; access tokens of every kind are sent alone. */
function headersFor(token: HostToken | null): Record<string, string> {
  if (!token) return {};
  if (token.authType === "oauth_token" || !token.login) return bearer(token.token);
  const pair = new TextEncoder().encode(`${token.login}:${token.token}`);
  return { authorization: `Basic ${btoa(String.fromCodePoint(...pair))}` };
}

function toRepository(found: z.output<typeof Repository>): HostedRepository {
  const [owner = "", ...rest] = found.full_name.split("/");
  const page = found.links.html.href;
  const https = found.links.clone.find(({ name }) => /^https?$/u.test(name))?.href;
  return {
    id: found.uuid,
    owner,
    name: rest.join("/") || found.name,
    fullName: found.full_name,
    description: found.description ?? null,
    cloneUrl: https === undefined ? `${page}.git` : withoutUser(https),
    htmlUrl: page,
    defaultBranch: found.mainbranch?.name ?? null,
    isPrivate: found.is_private,
    stars: 0,
    watchers: 0,
    forks: 0,
    openIssues: 0,
    topics: [],
    language: found.language ?? null,
    createdAt: found.created_on ?? null,
    updatedAt: found.updated_on ?? null,
    pushedAt: found.updated_on ?? null,
  };
}

/** Bitbucket includes the caller's user name in the address; remove it. */
function withoutUser(address: string): string {
  const url = URL.parse(address);
  if (!url) return address;
  url.username = "";
  return url.href;
}
