import type { Endpoint } from "#src/http/endpoint.ts";
import { adminEndpoints } from "./admin/index.ts";
import { commandEndpoints } from "./agent-commands/index.ts";
import { agentEndpoints } from "./agents/index.ts";
import { apiKeyEndpoints } from "./api-keys/index.ts";
import { auditEndpoints } from "./audit/index.ts";
import { authEndpoints } from "./auth/index.ts";
import { baseEndpoints } from "./bases/index.ts";
import { billingEndpoints } from "./billing/index.ts";
import { backgroundTaskEndpoints } from "./background-tasks/index.ts";
import { channelEndpoints } from "./channels/index.ts";
import { chatEndpoints } from "./chat/index.ts";
import { connectedAppEndpoints } from "./connected-apps/index.ts";
import { creatorEndpoints } from "./creators/index.ts";
import { deploymentCredentialEndpoints } from "./deployment-credentials/index.ts";
import { deploymentOAuthEndpoints } from "./deployment-oauth/index.ts";
import { deploymentEndpoints } from "./deployments/index.ts";
import { desktopEndpoints } from "./desktop/index.ts";
import { gatewayEndpoints } from "./gateway/index.ts";
import { gitProviderEndpoints } from "./git-providers/index.ts";
import { gitEndpoints } from "./git/index.ts";
import { mcpEndpoints } from "./mcp/index.ts";
import { modelProxyEndpoints } from "./model-proxy/index.ts";
import { metaEndpoints } from "./meta/index.ts";
import { marketplaceEndpoints } from "./marketplace/index.ts";
import { modelEndpoints } from "./models/index.ts";
import { oauthEndpoints } from "./oauth/index.ts";
import { pageEndpoints } from "./pages/index.ts";
import { alwaysOnEndpoints } from "./projects/always-on/index.ts";
import { browserPreviewEndpoints } from "./projects/browser-previews/index.ts";
import { configDocumentEndpoints } from "./projects/config-document/index.ts";
import { containerEndpoints } from "./projects/containers/index.ts";
import { previewEndpoints } from "./previews/index.ts";
import { fileEndpoints } from "./projects/files/index.ts";
import { projectEndpoints } from "./projects/index.ts";
import { projectMemberEndpoints } from "./projects/members/index.ts";
import { snapshotEndpoints } from "./projects/snapshots/index.ts";
import { scheduleEndpoints } from "./schedules/index.ts";
import { sockets } from "./sockets/index.ts";
import { shellEndpoints } from "./shells/index.ts";
import { secretEndpoints } from "./secrets/index.ts";
import { sessionEndpoints } from "./sessions/index.ts";
import { terminalEndpoints } from "./terminal/index.ts";
import { taskEndpoints } from "./tasks/index.ts";
import { teamEndpoints } from "./teams/index.ts";
import { userEndpoints } from "./users/index.ts";

/** The whole public interface. The order matters where both a literal path and a parameter match. */
export const endpoints: readonly Endpoint[] = [
  ...authEndpoints,
  ...oauthEndpoints,
  ...sessionEndpoints,
  ...connectedAppEndpoints,
  ...userEndpoints,
  ...adminEndpoints,
  ...auditEndpoints,
  ...apiKeyEndpoints,
  ...secretEndpoints,
  ...modelEndpoints,
  ...agentEndpoints,
  ...marketplaceEndpoints,
  ...creatorEndpoints,
  ...desktopEndpoints,
  ...teamEndpoints,
  ...projectEndpoints,
  ...projectMemberEndpoints,
  ...alwaysOnEndpoints,
  ...containerEndpoints,
  ...browserPreviewEndpoints,
  ...configDocumentEndpoints,
  ...fileEndpoints,
  ...snapshotEndpoints,
  ...shellEndpoints,
  ...terminalEndpoints,
  ...commandEndpoints,
  ...baseEndpoints,
  ...gitEndpoints,
  ...gitProviderEndpoints,
  ...deploymentCredentialEndpoints,
  ...deploymentOAuthEndpoints,
  // After the credentials, whose path names no deployment.
  ...deploymentEndpoints,
  ...taskEndpoints,
  ...mcpEndpoints,
  ...chatEndpoints,
  ...backgroundTaskEndpoints,
  ...channelEndpoints,
  ...gatewayEndpoints,
  ...scheduleEndpoints,
  ...billingEndpoints,
  ...modelProxyEndpoints,
  ...previewEndpoints,
  ...pageEndpoints,
  ...metaEndpoints(() => endpoints, sockets),
];
