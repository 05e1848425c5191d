import { z } from "zod";
import { GIT_HOSTS, type ConnectionState } from "#src/domain/source-control/git-hosts/index.ts";
import type { HostedBranch, HostedRepository } from "#src/platform/git-hosts/git-host.ts";

/**
 * The git host; other names do not match the path. The group is needed because the router anchors the pattern with `^`
 * and `$`, which would otherwise bind to one alternative only.
 */
export const HOST = ":git_host{(?:github|gitlab|bitbucket)}";

export const HostParams = z.object({ git_host: z.enum(GIT_HOSTS) });

export const RepositoryParams = HostParams.extend({
  owner: z.string().describe("At GitLab the whole path of the group, its slashes encoded"),
  repository: z.string(),
});

/** Whether a person's account at a host is connected. */
export const ConnectionStatus = z
  .object({
    provider: z.enum(GIT_HOSTS),
    display_name: z.string(),
    connected: z.boolean(),
    oauth_configured: z
      .boolean()
      .describe("Whether OAuth is configured; connecting by token is always possible"),
    auth_type: z.enum(["oauth_token", "personal_access_token"]).nullable(),
    provider_username: z.string().nullable(),
    provider_email: z.string().nullable(),
    scope: z.string().nullable(),
  })
  .meta({ id: "GitProviderStatus" });

export function describeConnection(state: ConnectionState): z.input<typeof ConnectionStatus> {
  const { provider, label, hasOAuth, connection } = state;
  return {
    provider,
    display_name: label,
    connected: connection !== undefined,
    oauth_configured: hasOAuth,
    auth_type: connection?.authType ?? null,
    provider_username: connection?.username ?? null,
    provider_email: connection?.email ?? null,
    scope: connection?.scope ?? null,
  };
}

export const Connected = z
  .object({
    message: z.string(),
    connected: z.literal(true),
    provider: z.enum(GIT_HOSTS),
    provider_username: z.string(),
  })
  .meta({ id: "GitProviderConnected" });

export const HostedRepositoryItem = z
  .object({
    id: z.string(),
    owner: z.string(),
    name: z.string(),
    full_name: z.string(),
    description: z.string().nullable(),
    clone_url: z.string(),
    html_url: z.string(),
    default_branch: z.string().nullable(),
    private: z.boolean(),
    language: z.string().nullable(),
    stars: z.int(),
    forks: z.int(),
    updated_at: z.string().nullable(),
  })
  .meta({ id: "HostedRepository" });

export function describeHosted(found: HostedRepository): z.input<typeof HostedRepositoryItem> {
  return {
    id: found.id,
    owner: found.owner,
    name: found.name,
    full_name: found.fullName,
    description: found.description,
    clone_url: found.cloneUrl,
    html_url: found.htmlUrl,
    default_branch: found.defaultBranch,
    private: found.isPrivate,
    language: found.language,
    stars: found.stars,
    forks: found.forks,
    updated_at: found.updatedAt,
  };
}

export const HostedBranchItem = z
  .object({ name: z.string(), sha: z.string(), protected: z.boolean() })
  .meta({ id: "HostedBranch" });

export const describeHostedBranch = ({ name, sha, isProtected }: HostedBranch) => ({
  name,
  sha,
  protected: isProtected,
});
