import type { Grants } from "#src/platform/oauth/grants.ts";

/** Git hosts to which users connect their accounts. */
export type GitHostName = "github" | "gitlab" | "bitbucket";

export type AuthType = "oauth_token" | "personal_access_token";

/** A user's credential at a host. */
export interface HostToken {
  authType: AuthType;
  token: string;
  /** Account name for a personal token, where the host requires one (Bitbucket: the account's email address). */
  login?: string | null;
}

export interface HostAccount {
  username: string;
  /** Null where the host does not provide it. */
  email: string | null;
}

export interface HostedRepository {
  id: string;
  owner: string;
  name: string;
  fullName: string;
  description: string | null;
  /** Address for git, over https. */
  cloneUrl: string;
  /** Address for browsers. */
  htmlUrl: string;
  defaultBranch: string | null;
  isPrivate: boolean;
  stars: number;
  watchers: number;
  forks: number;
  openIssues: number;
  topics: string[];
  language: string | null;
  /** ISO 8601. */
  createdAt: string | null;
  updatedAt: string | null;
  pushedAt: string | null;
}

export interface HostedBranch {
  name: string;
  sha: string;
  isProtected: boolean;
}

/**
 * One git host. Failures are `AppError`s: `unauthenticated` for a token it refuses, `not_found`, `rate_limited` with the
 * seconds to wait, `unavailable` when it does not respond or not as expected. None of them contains a secret.
 */
export interface GitHost {
  readonly label: string;
  /** Origin of the host's repositories; its credentials are sent nowhere else. */
  readonly origin: string;
  /** Null where the installation has no client id and secret for this host. */
  readonly oauth: Grants | null;
  /** Returns the account of a token. */
  account(token: HostToken): Promise<HostAccount>;
  /** Returns the repositories that the account can access, the latest change first. */
  repositories(token: HostToken, page: { page: number; perPage: number }): Promise<HostedRepository[]>;
  /** Without a token only public repositories are found. */
  repository(token: HostToken | null, owner: string, name: string): Promise<HostedRepository>;
  /** Returns at most 100 branches. */
  branches(token: HostToken | null, owner: string, name: string): Promise<HostedBranch[]>;
  /** Returns git's credentials over http(s). */
  gitCredentials(token: HostToken): { username: string; password: string };
}

export type GitHosts = Readonly<Record<GitHostName, GitHost>>;
