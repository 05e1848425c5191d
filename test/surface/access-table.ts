import { AGENTS } from "./access/agents.ts";
import { PEOPLE } from "./access/people.ts";
import { PROJECTS } from "./access/projects.ts";
import type { Row } from "./access/row.ts";
import { operationsIn } from "./paths-by-method.ts";

/** Every public operation; all others need credentials. */
export const PUBLIC = operationsIn({
  POST: `
    /api/auth/register /api/auth/login /api/auth/jwt/login /api/auth/cookie/login /api/auth/2fa/send
    /api/auth/2fa/verify /api/auth/forgot-password /api/auth/reset-password
    /api/auth/request-verify-token /api/auth/verify /api/auth/refresh /api/auth/logout
    /api/auth/passkeys/options /api/auth/passkeys/sign-in
    /api/desktop/pair/exchange /api/auth/device/code /api/auth/device/token /api/auth/device/refresh
    /api/channels/webhook/{type}/{config_id} /api/webhooks/stripe /api/version/check-compat
    /oauth/register /oauth/token /oauth/revoke`,
  GET: `
    /api/auth/csrf /api/auth/{provider}/authorize /api/auth/{provider}/callback
    /api/git-providers/{git_host}/oauth/callback /api/mcp/oauth/callback /api/mcp/oauth/client /api/deployment-credentials/providers
    /api/deployment-oauth/{hosting_provider}/callback /api/teams/invitations/{token}
    /api/channels/webhook/{type}/{config_id} /api/billing/config / /login /register /forgot-password
    /reset-password /verify-email /invite/{token} /oauth/callback /oauth/authorize /desktop/pair /device /pair
    /account/sessions /settings/team/billing /billing /marketplace/success /marketplace/agent/{slug}
    /marketplace/base/{slug} /api/marketplace/agents
    /api/marketplace/agents/{agent} /api/marketplace/agents/{agent}/related
    /api/marketplace/agents/{agent}/versions /api/marketplace/bases /api/marketplace/bases/{base}
    /api/marketplace/bases/{base}/versions /api/marketplace/skills /api/marketplace/mcp-servers
    /api/marketplace/themes /api/marketplace/workflows /api/marketplace/agents/{agent}/reviews
    /api/marketplace/bases/{base}/reviews /api/creators/by-username/{creator_name}
    /api/creators/check-username/{creator_name} /api/creators/{creator} /api/creators/{creator}/agents
    /api/creators/{creator}/stats /health /ready /api/config /api/feature-flags /api/version
    /api/previews/enter /api/auth/verify-access /openapi.json /docs /docs/scalar.js /guide
    /.well-known/oauth-authorization-server /.well-known/oauth-protected-resource
    /.well-known/oauth-protected-resource/mcp /.well-known/oauth-protected-resource/api/mcp/server
    /.well-known/oauth-protected-resource/api/mcp/server/mcp
    /guide/{guide_page} /guide/style.css /llms.txt /mcp /app /app/assets/{console_file} /app/{console_path}`,
});

/**
 * Every other operation, by method and path, in a file for each area. A route without a row fails the suite: the author
 * of a route says there, by hand, who may call it.
 */
export const ROWS: Readonly<Record<string, Row>> = Object.fromEntries(
  Object.entries({ ...PEOPLE, ...PROJECTS, ...AGENTS }).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, row]) => [`${method} ${path}`, row]),
  ),
);
