import { z } from "zod";
import { CEILINGS } from "#src/domain/operations/limits/ceilings.ts";
import { encryptionKey, flag, httpUrl, integer, optional, text, withDefault } from "../fields.ts";

/** Where projects run, their limits, and the git hosts of their repositories. */
export const projectVariables = {
  PROJECT_RUNTIME: withDefault(z.enum(["embedded", "host", "sandbox"]), "embedded"),
  /** Address of the `host` driver's server; set by the local stack only. */
  RUNTIME_HOST_URL: optional(httpUrl),
  /** Address of the server that runs the `embedded` driver's commands, and its secret; set by the local stack only. */
  COMMAND_RUNNER_URL: optional(httpUrl),
  /** Minutes without activity after which a running project is hibernated; 0 is never. */
  PROJECT_IDLE_MINUTES: integer(2880, 0),
  /** Minutes between the warning and the hibernation. */
  PROJECT_IDLE_GRACE_MINUTES: integer(5, 0, 1440),
  /** Limits of all programs of a project together, on the `host` driver. */
  PROJECT_MEMORY_MB: integer(2048, 64),
  PROJECT_PROCESSES: integer(512, 16),
  PROJECT_CPU_PERCENT: integer(200, 10),
  PROJECT_DISK_MB: integer(5120, 16),
  /** Whether a project's programs may reach the internet, by the same rules as any outbound request. */
  PROJECT_NETWORK: flag(true),
  /** Snapshots of one kind that a project keeps; the oldest are deleted first. */
  MAX_SNAPSHOTS_PER_PROJECT: integer(20, 1, 1000),
  SNAPSHOT_RETENTION_DAYS: integer(30, 1, 36_500),
  SHELL_SESSIONS_PER_USER: integer(CEILINGS.shells_of_person.most, 1, 10_000),
  SHELL_SESSIONS_PER_PROJECT: integer(CEILINGS.shells_of_project.most, 1, 10_000),
  /** Open sessions of one chat's agent. */
  SHELL_SESSIONS_PER_CHAT: integer(CEILINGS.shells_of_chat.most, 1, 10_000),
  SHELL_IDLE_MINUTES: integer(30, 1),
  SHELL_MAX_HOURS: integer(8, 1),
  /** Interval in seconds at which the access of an open socket or chat stream is checked again. */
  SOCKET_CHECK_SECONDS: integer(30, 1, 60),

  GIT_CLONE_TIMEOUT_SECONDS: integer(300, 5, 840),
  /** Encrypts tokens of git hosts and deployment providers; a key derived from SECRET_KEY when absent. */
  DEPLOYMENT_ENCRYPTION_KEY: encryptionKey(),
  GITLAB_CLIENT_ID: text(),
  GITLAB_CLIENT_SECRET: text(),
  GITLAB_OAUTH_REDIRECT_URI: optional(httpUrl),
  GITLAB_API_BASE_URL: withDefault(httpUrl, "https://gitlab.com"),
  BITBUCKET_CLIENT_ID: text(),
  BITBUCKET_CLIENT_SECRET: text(),
  BITBUCKET_OAUTH_REDIRECT_URI: optional(httpUrl),
  BITBUCKET_OAUTH_BASE_URL: withDefault(httpUrl, "https://bitbucket.org"),
  BITBUCKET_API_BASE_URL: withDefault(httpUrl, "https://api.bitbucket.org"),
};
