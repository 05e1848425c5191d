import { ACCOUNTS } from "./access/accounts.ts";
import { AGENT_TASKS } from "./access/agent-tasks.ts";
import { ARCHIVES } from "./access/archives.ts";
import { CHANNELS } from "./access/channels.ts";
import { CHAT } from "./access/chat.ts";
import { CONTAINERS } from "./access/containers.ts";
import { FILES } from "./access/files.ts";
import { GIT } from "./access/git.ts";
import { HOSTING } from "./access/hosting.ts";
import { MARKETPLACE } from "./access/marketplace.ts";
import { MODELS } from "./access/models.ts";
import { PROJECTS } from "./access/projects.ts";
import { SCHEDULES } from "./access/schedules.ts";
import { SHELLS } from "./access/shells.ts";
import { TEAMS } from "./access/teams.ts";
import { USAGE } from "./access/usage.ts";
import type { Rows } from "./access/row.ts";

/** Every public operation; all others need credentials. */
export const PUBLIC: readonly string[] = [
  "POST /api/auth/register",
  "POST /api/auth/login",
  "POST /api/auth/jwt/login",
  "POST /api/auth/cookie/login",
  "POST /api/auth/2fa/send",
  "POST /api/auth/2fa/verify",
  "POST /api/auth/forgot-password",
  "POST /api/auth/reset-password",
  "POST /api/auth/request-verify-token",
  "POST /api/auth/verify",
  "POST /api/auth/refresh",
  "GET /api/auth/csrf",
  "POST /api/auth/logout",
  "GET /api/auth/{provider}/authorize",
  "GET /api/auth/{provider}/callback",
  "GET /api/git-providers/{git_host}/oauth/callback",
  "GET /api/deployment-credentials/providers",
  "GET /api/deployment-oauth/{hosting_provider}/callback",
  "POST /api/desktop/pair/exchange",
  "POST /api/auth/device/code",
  "POST /api/auth/device/token",
  "POST /api/auth/device/refresh",
  "GET /api/teams/invitations/{token}",
  "GET /api/channels/webhook/{type}/{config_id}",
  "POST /api/channels/webhook/{type}/{config_id}",
  "GET /api/billing/config",
  "POST /api/webhooks/stripe",
  "GET /",
  "GET /login",
  "GET /register",
  "GET /forgot-password",
  "GET /reset-password",
  "GET /verify-email",
  "GET /invite/{token}",
  "GET /oauth/callback",
  "GET /desktop/pair",
  "GET /device",
  "GET /pair",
  "GET /account/sessions",
  "GET /settings/team/billing",
  "GET /billing",
  "GET /marketplace/success",
  "GET /marketplace/agent/{slug}",
  "GET /marketplace/base/{slug}",
  "GET /account/scripts/{script}",
  "GET /account/{stylesheet}",
  "GET /api/marketplace/agents",
  "GET /api/marketplace/agents/{agent}",
  "GET /api/marketplace/agents/{agent}/related",
  "GET /api/marketplace/agents/{agent}/versions",
  "GET /api/marketplace/bases",
  "GET /api/marketplace/bases/{base}",
  "GET /api/marketplace/bases/{base}/versions",
  "GET /api/marketplace/skills",
  "GET /api/marketplace/mcp-servers",
  "GET /api/marketplace/themes",
  "GET /api/marketplace/workflows",
  "GET /api/marketplace/agents/{agent}/reviews",
  "GET /api/marketplace/bases/{base}/reviews",
  "GET /api/creators/by-username/{creator_name}",
  "GET /api/creators/check-username/{creator_name}",
  "GET /api/creators/{creator}",
  "GET /api/creators/{creator}/agents",
  "GET /api/creators/{creator}/stats",
  "GET /health",
  "GET /ready",
  "GET /api/config",
  "GET /api/feature-flags",
  "GET /api/version",
  "POST /api/version/check-compat",
  "GET /api/previews/enter",
  "GET /api/auth/verify-access",
  "GET /openapi.json",
  "GET /docs",
  "GET /docs/scalar.js",
  "GET /guide",
  "GET /guide/{guide_page}",
  "GET /guide/style.css",
  "GET /llms.txt",
  "GET /app",
  "GET /app/assets/{console_file}",
  "GET /app/{console_path}",
];

/**
 * Every other operation, by method and path, in a file for each area. A route without a row fails the suite: the author
 * of a route says there, by hand, who may call it.
 */
export const ROWS: Rows = {
  ...ACCOUNTS,
  ...TEAMS,
  ...PROJECTS,
  ...SCHEDULES,
  ...SHELLS,
  ...CONTAINERS,
  ...FILES,
  ...GIT,
  ...ARCHIVES,
  ...AGENT_TASKS,
  ...HOSTING,
  ...MARKETPLACE,
  ...USAGE,
  ...MODELS,
  ...CHAT,
  ...CHANNELS,
};
