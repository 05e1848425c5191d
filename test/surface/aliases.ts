import { operationsIn } from "./paths-by-method.ts";

/** Every other name of an operation, on which clients rely that existed before. */
export const ALIASES = operationsIn({
  GET: `
    /auth/csrf /auth/{provider}/authorize /auth/{provider}/callback /auth/sessions /users/me
    /users/preferences /users/profile /api/external/keys /api/external/keys/scopes
    /api/marketplace/public/agents /api/marketplace/public/agents/{agent}
    /api/marketplace/public/agents/{agent}/related /api/marketplace/public/agents/{agent}/versions
    /api/marketplace/public/bases /api/marketplace/public/bases/{base}
    /api/marketplace/public/bases/{base}/versions /api/marketplace/public/skills
    /api/marketplace/public/mcp-servers /api/marketplace/public/themes /api/marketplace/public/workflows
    /api/projects/{project}/download-template /api/git/clone/{project} /api/deployments/credentials
    /api/deployments/deployment/{deployment} /api/deployments/deployment/{deployment}/status
    /api/deployments/deployment/{deployment}/logs /api/deployments/deployment/{deployment}/stream
    /chat/{project}/history /api/chat/{project}/messages /api/tasks/{background_task} /api/channels/configs
    /api/channels/configs/{channel} /api/channels/configs/{channel}/messages /api/mcp/server
    /api/mcp/server/mcp`,
  POST: `
    /auth/register /auth/login /auth/jwt/login /auth/cookie/login /auth/2fa/send /api/auth/2fa/resend
    /auth/2fa/resend /auth/2fa/verify /auth/forgot-password /auth/reset-password /auth/request-verify-token
    /auth/verify /auth/refresh /api/auth/jwt/refresh /auth/jwt/refresh /auth/logout /auth/jwt/logout
    /api/auth/cookie/logout /auth/cookie/logout /api/external/keys /api/external/keys/{key}/rotate-secret
    /api/projects/{project}/git/branch /api/deployments/deployment/{deployment}/cancel
    /api/deployments/deployment/{deployment}/redeploy /api/external/agent/cancel/{task} /chat/stream
    /api/channels/configs /api/channels/configs/{channel}/rotate-secret /api/channels/configs/{channel}/test
    /api/channels/configs/{channel}/messages/{channel_message}/retry /api/schedules/{schedule_id}/run
    /api/projects/deployment/purchase-slot /api/mcp/server /api/mcp/server/mcp`,
  PATCH: `
    /users/me /users/me/handle /users/preferences /users/profile /api/channels/configs/{channel}`,
  DELETE: `
    /auth/sessions /auth/sessions/{session} /api/external/keys/{key}
    /api/deployments/deployment/{deployment} /api/channels/configs/{channel}`,
});
