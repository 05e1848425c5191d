import type { OAuthFlow } from "#src/platform/oauth/provider.ts";

/** Git hosts that people connect their accounts of. */
export type GitHostName = "github" | "gitlab" | "bitbucket";

export type AuthType = "oauth_token" | "personal_access_token";

/** What a person proves themselves with. */
export interface HostToken {
  authType: AuthType;
  token: string;
  /** Account name that a personal token goes with, where the host asks for one (Bitbucket: the account's email address). */
  login?: string | null;
}

/** What a host grants in exchange for a code or a refresh token. */
export interface Grant {
  accessToken: string;
  refreshToken: string | null;
  /** Null for a token that does not expire. */
  expiresAt: Date | null;
  scope: string | null;
}

export interface HostAccount {
  username: string;
  /** Where the host tells it. */
  email: string | null;
}

export interface HostedRepository {
  id: string;
  owner: string;
  name: string;
  fullName: string;
  description: string | null;
  /** For git, over https. */
  cloneUrl: string;
  /** For people. */
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
 * One git host. Failures are `AppError`s: `unauthenticated` for a token it refuses, `not_found`, `unavailable` when it does
 * not answer or not as expected. No secret is in any of them.
 */
export interface GitHost {
  readonly label: string;
  /** Origin of the addresses of its repositories: where its credentials may go, and nowhere else. */
  readonly origin: string;
  /** Null where the installation has no client id and secret for it. */
  readonly oauth: {
    authorizationUrl(flow: OAuthFlow): Promise<string>;
    /** Spend the code of a callback. Throws `OAuthFailure`. */
    exchange(callback: URLSearchParams, flow: OAuthFlow): Promise<Grant>;
    /** Throws `OAuthFailure`. */
    refresh(refreshToken: string): Promise<Grant>;
  } | null;
  /** Whose token it is. */
  account(token: HostToken): Promise<HostAccount>;
  /** Repositories that the account may reach, lately changed ones first. */
  repositories(token: HostToken, page: { page: number; perPage: number }): Promise<HostedRepository[]>;
  /** Without a token, public ones are found. */
  repository(token: HostToken | null, owner: string, name: string): Promise<HostedRepository>;
  /** At most 100. */
  branches(token: HostToken | null, owner: string, name: string): Promise<HostedBranch[]>;
  /** What git sends over http(s). */
  gitCredentials(token: HostToken): { username: string; password: string };
}

export type GitHosts = Readonly<Record<GitHostName, GitHost>>;
