import type { CEILINGS, OPEN_CEILINGS } from "#src/domain/operations/limits/index.ts";

type Name = keyof typeof CEILINGS | keyof typeof OPEN_CEILINGS;

/** By ceiling, the operations on which it is; sockets by their path. A ceiling without one does not compile. */
const CEILED: Readonly<Record<Name, string>> = {
  device_sign_ins: "beginDeviceSignIn",
  api_keys: "createApiKey exchangePairingToken createDesktopKey",
  model_keys: "createModelKey",
  model_providers: "createCustomProvider",
  added_models: "createCustomModel",
  agents: "createAgent createMarketplaceAgent forkMarketplaceAgent",
  templates: "submitMarketplaceTemplate uploadTemplate createTemplateFromProject",
  connected_apps: "getMcpToken decideAppRequest",
  passkeys: "addMyPasskey",
  app_requests: "openAppRequest",
  pairing_links: "createPairingLink",
  desktop_devices: "exchangePairingToken createDesktopKey",
  members: "acceptInvitation",
  teams: "createTeam",
  invitation_links: "createTeamInvitationLink",
  projects: "createProject forkProject",
  containers: "createContainer setConfigDocument",
  browser_previews: "setConfigDocument createBrowserPreview",
  shells_of_person: "openShell /api/terminal/:project/connect",
  shells_of_project: "openShell",
  deployment_credentials: "createDeploymentCredential",
  unfinished_deployments: "createDeployment deployProject deployContainer deployAllContainers redeploy",
  chats: "createChat",
  unsent_attachments: "uploadAttachment",
  mcp_servers_of_person: "createMcpServer",
  mcp_servers_of_team: "createMcpServer",
  mcp_servers_of_project: "createMcpServer allowStdioServer",
  channels: "createChannel",
  channel_connections: "createChannel",
  schedules: "createSchedule",
  active_schedules: "createSchedule resumeSchedule",
  streams_of_task: "streamTaskEvents resumeChatEvents streamChatText streamChatEvents",
  sockets_of_project: `
    streamProjectChats /api/terminal/:project/connect /api/projects/:project/logs/stream /ws/:chat
    /ws/chat/:project /api/chat/ws/:token`,
  command_line_sockets: "/api/gateway/cli",
  // An agent's shells, in a chat.
  shells_of_chat: "",
};

/** Why operations that store or hold something have no ceiling: what bounds it, and their names. */
const BOUNDS: Readonly<Record<string, string>> = {
  REGISTRATIONS_PER_ADDRESS: "register",
  "A session ends by itself, and its row is deleted after that": `
    signInWithPasskey login loginWithForm loginWithCookies verifyLoginCode resetPassword refreshSession getDeviceToken
    refreshDeviceSession`,
  "MAIL_SENDS_PER_ACCOUNT and AUTH_ATTEMPTS_PER_ADDRESS; the row expires":
    "resendLoginCode requestPasswordReset requestVerificationEmail",
  "Administrators only": "adjustUserCredits retryPaymentEvent retryFailedJob retryFailedJobs",
  "One row for each two things that have ceilings themselves":
    "selectAgentModel addProjectAgent reviewAgent reviewTemplate createContainerConnection",
  "An open checkout is used again, and expires":
    "purchaseItem purchaseAgent purchaseTemplate purchaseCredits purchaseDeploymentSlot subscribe",
  "One per creator": "connectPayoutAccount",
  "50 of a team in 24 hours, and each expires after 7 days": "inviteTeamMember",
  "Members of the team, which have a ceiling": "addProjectMember",
  "The places of the team's tier, in the statement that takes one": "enableAlwaysOn",
  "MAX_SNAPSHOTS_PER_PROJECT: the oldest are deleted": "createSnapshot",
  "COMMAND_RATE_PER_MINUTE, and the row is deleted after 30 days": "executeCommand",
  "Files of the project, within what it may store": `
    writeFile createDirectory moveFile commitAndPushGit initGitRepository stageGitFiles createGitCommit
    pullGitBranch createGitBranch syncConfigDocument`,
  "A project does one such thing at a time, and the row is deleted a day after its end": `
    startGitClone cloneGitRepository startProject stopProject hibernateProject beginProjectAnew
    recoverProjectVolume restoreSnapshot startContainer restartContainer startAllContainers
    restartAllContainers`,
  "Each is a message: limited in rate, and paid for with credits or an own key":
    "invokeAgent sendChatMessage compactChat createChatCompletion",
  "A person has one": "setUpMyAuthenticator",
  "Each tool is bounded as the operation that does the same": "callMcp",
  CHANNEL_WEBHOOK_RATE_LIMIT: "receiveChannelWebhook",
  "The rate of requests; the message is one of a channel, which has a ceiling": "sendChannelTestMessage",
  "A sender has one link in a channel; few codes of a channel wait at a time": "verifyGatewayPairing",
  "Runs of a schedule that wait are few; a run is a message": "triggerSchedule",
  AUDIT_LOG_RETENTION_DAYS: "exportTeamAuditLog",
  "Signed by the provider, and deleted after 90 days": "receiveStripeWebhook",
  "Ends with the deployment": "streamDeployment",
  "Ends after 800 looks, and is opened at the rate of requests": "/api/tasks/ws",
};

/** Operations that change, end or read what is there. */
const STORING_NOTHING = `
  registerMcpClient revokeMcpToken verifyEmail logoutEverywhere logout lookUpDeviceSignIn previewGatewayPairing decideDeviceSignIn
  beginPasskeySignIn beginMyPasskey removeMyPasskey confirmMyAuthenticator renewMyRecoveryCodes turnOffMyAuthenticator turnOffAuthenticator disableUser enableUser verifyPurchase verifyCheckout cancelAgentSubscription renewAgentSubscription
  cancelSubscription renewSubscription toggleLibraryAgent publishMarketplaceAgent
  unpublishMarketplaceAgent unpairCallingDesktop switchTeam leaveTeam recordProjectActivity
  stopAllContainers stopContainer renameContainer revealContainerVariable connectBrowserPreview
  disconnectBrowserPreview suggestConfigDocument readFiles writeToShell pushGitBranch
  switchGitBranchByPost testDeploymentCredential cancelDeployment cancelTask answerApproval
  cancelChatTask cancelAllChatWork undoChatMessage rotateChannelSecret rotateApiKeySecret
  retryChannelMessage reloadGateway previewSchedule pauseSchedule syncUsage checkCompatibility
  testModelKey testMcpServer authorizeMcpServer disconnectMcpServer`;

const namesIn = (text: string) => text.split(/\s+/u).filter(Boolean);

/** Every operation of which is said here what bounds it. */
export const BOUNDED = new Set(
  [...Object.values(CEILED), ...Object.values(BOUNDS), STORING_NOTHING].flatMap(namesIn),
);
