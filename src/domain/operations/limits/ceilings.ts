import type { ErrorCode } from "#src/lib/errors.ts";

/** Whose rows count together. */
export type Owner = "person" | "team" | "project" | "chat" | "address";

/** The variable of each tier. */
type ByTier = Readonly<Record<"free" | "basic" | "pro" | "ultra", string>>;

export interface Ceiling {
  whose: Owner;
  /** The maximum, unless the variable overrides it. */
  most: number;
  /** Overrides the maximum; by tier for what a team pays for. */
  variable: string | ByTier;
  /** From this number on there is no limit; 0 means no limit everywhere else. */
  noLimit?: number;
  /** Table of the rows, or a query with a name, its column with the owner's id, and which of the owner's rows count. */
  table: string;
  owner: string;
  counts?: string;
  code: ErrorCode;
  /** What the caller reads: what is full, and what to do. */
  refusal: (max: number) => string;
  /** When there is room again: seconds, or the column of the moment at which a row stops to count. */
  roomIn?: number | "expires_at";
}

const OPEN_SHELLS = {
  table: "shell_sessions",
  counts: "status IN ('initializing', 'active', 'idle')",
  code: "rate_limited",
  refusal: () => "Too many shell sessions are open: close one",
  roomIn: 60,
} as const;

/**
 * Every ceiling on stored rows. What is bounded in another way is listed, with the reason, in
 * `test/attacks/support/bounded-otherwise.ts`. SQL here is constant text.
 */
export const CEILINGS = {
  api_keys: {
    whose: "person",
    most: 10,
    variable: "MAX_API_KEYS_PER_USER",
    table: "external_api_keys",
    owner: "user_id",
    // Connected apps have a ceiling of their own.
    counts: "is_active AND NOT EXISTS (SELECT 1 FROM oauth_grants g WHERE g.key_id = external_api_keys.id)",
    code: "invalid_input",
    refusal: (max) => `Maximum of ${max} active API keys allowed, device keys included: revoke one first`,
  },
  desktop_devices: {
    whose: "person",
    most: 10,
    variable: "MAX_DESKTOP_DEVICES_PER_USER",
    table: "desktop_devices",
    owner: "user_id",
    counts:
      "EXISTS (SELECT 1 FROM external_api_keys k WHERE k.id = desktop_devices.api_key_id AND k.is_active)",
    code: "invalid_input",
    refusal: (max) => `Maximum of ${max} paired devices: unpair one first`,
  },
  connected_apps: {
    whose: "person",
    most: 50,
    variable: "MAX_CONNECTED_APPS_PER_USER",
    table: "oauth_grants",
    owner: "user_id",
    counts:
      "expires_at > now() AND EXISTS (SELECT 1 FROM external_api_keys k WHERE k.id = oauth_grants.key_id AND k.is_active)",
    code: "invalid_input",
    refusal: (max) => `Maximum of ${max} connected apps: disconnect one first`,
  },
  passkeys: {
    whose: "person",
    most: 20,
    variable: "MAX_PASSKEYS_PER_USER",
    table: "passkeys",
    owner: "user_id",
    code: "invalid_input",
    refusal: (max) => `You have ${many(max, "passkey")}, the most allowed: remove one first`,
  },
  app_requests: {
    whose: "person",
    most: 20,
    variable: "MAX_APP_REQUESTS_PER_USER",
    table: `(SELECT request.expires_at, opener.user_id FROM oauth_requests AS request
      JOIN sessions AS opener ON opener.id = request.session_id) AS requests`,
    owner: "user_id",
    // Decided ones, too: whoever denies each at once stores as many.
    counts: "expires_at > now()",
    code: "rate_limited",
    refusal: (max) =>
      `Apps may ask for access ${max} times in ten minutes: wait until the oldest request has expired`,
    roomIn: "expires_at",
  },
  pairing_links: {
    whose: "person",
    most: 10,
    variable: "MAX_PAIRING_LINKS_PER_USER",
    table: "pairing_tokens",
    owner: "user_id",
    counts: "used_at IS NULL AND expires_at > now()",
    code: "rate_limited",
    refusal: (max) =>
      `Maximum of ${max} unused pairing links: use one of them, or wait until the oldest has expired`,
    roomIn: "expires_at",
  },
  device_sign_ins: {
    whose: "address",
    most: 10,
    variable: "MAX_DEVICE_SIGN_INS_PER_ADDRESS",
    table: "device_sign_ins",
    owner: "network",
    counts: "decision IS NULL AND expires_at > now()",
    code: "rate_limited",
    refusal: (max) =>
      `Maximum of ${max} open sign-ins from one address: finish one of them, or wait until the oldest has expired`,
    roomIn: "expires_at",
  },
  channels: {
    whose: "person",
    most: 100,
    variable: "MAX_CHANNELS_PER_USER",
    table: "channel_configs",
    owner: "user_id",
    // A person's command line has one per project, which the service makes.
    counts: "is_active AND channel_type <> 'cli'",
    code: "invalid_input",
    refusal: (max) => `You have ${many(max, "channel")}, the most allowed: delete one first`,
  },
  channel_connections: {
    whose: "person",
    most: 20,
    variable: "MAX_CHANNEL_CONNECTIONS_PER_USER",
    table: "channel_configs",
    owner: "user_id",
    counts: "is_active AND channel_type <> 'cli' AND inbound_mode = 'connection'",
    code: "invalid_input",
    refusal: (max) =>
      `You have ${many(max, "channel")} with a connection, the most allowed: delete one, or let the platform call a webhook`,
  },
  schedules: {
    whose: "person",
    most: 200,
    variable: "MAX_SCHEDULES_PER_USER",
    table: "schedules",
    owner: "user_id",
    code: "invalid_input",
    refusal: (max) =>
      `You have ${many(max, "schedule")}, paused ones included, the most allowed: delete one first`,
  },
  active_schedules: {
    whose: "person",
    most: 50,
    variable: "GATEWAY_MAX_SCHEDULES_PER_USER",
    table: "schedules",
    owner: "user_id",
    counts: "is_active",
    code: "rate_limited",
    refusal: (max) => `Maximum ${max} active schedules allowed`,
  },
  chats: {
    whose: "person",
    most: 50_000,
    variable: "MAX_CHATS_PER_USER",
    table: "chats",
    owner: "user_id",
    code: "invalid_input",
    refusal: (max) =>
      `You have ${many(max, "chat")} or more, the most that can be made without a message: delete one first`,
  },
  unsent_attachments: {
    whose: "person",
    most: 500,
    variable: "MAX_UNSENT_ATTACHMENTS_PER_USER",
    table: "chat_attachments",
    owner: "user_id",
    counts: "message_id IS NULL",
    code: "invalid_input",
    refusal: (max) =>
      `You have ${many(max, "file")} that no message was sent with, the most allowed: send or delete one first`,
  },
  templates: {
    whose: "person",
    most: 100,
    variable: "MAX_TEMPLATES_PER_USER",
    table: "bases",
    owner: "created_by",
    code: "conflict",
    refusal: (max) => `You have ${many(max, "template")}; delete one first`,
  },
  model_keys: {
    whose: "person",
    most: 100,
    variable: "MAX_MODEL_KEYS_PER_USER",
    table: "user_api_keys",
    owner: "user_id",
    counts: "is_active",
    code: "invalid_input",
    refusal: (max) => `You have ${many(max, "key")}: delete one first`,
  },
  model_providers: {
    whose: "person",
    most: 100,
    variable: "MAX_MODEL_PROVIDERS_PER_USER",
    table: "user_providers",
    owner: "user_id",
    counts: "is_active",
    code: "invalid_input",
    refusal: (max) => `You have ${many(max, "provider")}: delete one first`,
  },
  added_models: {
    whose: "person",
    most: 200,
    variable: "MAX_ADDED_MODELS_PER_USER",
    table: "user_models",
    owner: "user_id",
    counts: "is_active",
    code: "invalid_input",
    refusal: (max) => `You have added ${many(max, "model")}: remove one first`,
  },
  mcp_servers_of_person: {
    whose: "person",
    most: 20,
    variable: "MAX_MCP_SERVERS_PER_USER",
    table: "mcp_servers",
    owner: "user_id",
    code: "invalid_input",
    refusal: (max) => `You have ${many(max, "MCP server")}, the most allowed: delete one first`,
  },
  mcp_servers_of_team: {
    whose: "team",
    most: 20,
    variable: "MAX_MCP_SERVERS_PER_TEAM",
    table: "mcp_servers",
    owner: "team_id",
    code: "invalid_input",
    refusal: (max) => `The team has ${many(max, "MCP server")}, the most allowed: delete one first`,
  },
  mcp_servers_of_project: {
    whose: "project",
    most: 20,
    variable: "MAX_MCP_SERVERS_PER_PROJECT",
    table: "mcp_servers",
    owner: "project_id",
    code: "invalid_input",
    refusal: (max) => `The project has ${many(max, "MCP server")}, the most allowed: delete one first`,
  },
  deployment_credentials: {
    whose: "person",
    most: 100,
    variable: "MAX_DEPLOYMENT_CREDENTIALS_PER_USER",
    table: "deployment_credentials",
    owner: "user_id",
    code: "invalid_input",
    refusal: (max) => `You have ${many(max, "deployment credential")}, the most allowed: delete one first`,
  },
  teams: {
    whose: "person",
    most: 10,
    variable: "MAX_TEAMS_PER_USER",
    table: "teams",
    owner: "created_by",
    code: "forbidden",
    refusal: (max) => `You already own ${many(max, "team")}, the most allowed: delete one first`,
  },
  shells_of_person: {
    whose: "person",
    most: 100,
    variable: "SHELL_SESSIONS_PER_USER",
    owner: "user_id",
    ...OPEN_SHELLS,
  },
  shells_of_project: {
    whose: "project",
    most: 100,
    variable: "SHELL_SESSIONS_PER_PROJECT",
    owner: "project_id",
    ...OPEN_SHELLS,
  },
  shells_of_chat: {
    whose: "chat",
    most: 8,
    variable: "SHELL_SESSIONS_PER_CHAT",
    owner: "chat_id",
    ...OPEN_SHELLS,
  },
  members: {
    whose: "team",
    most: 500,
    variable: "MAX_MEMBERS_PER_TEAM",
    table: "team_memberships",
    owner: "team_id",
    code: "invalid_input",
    refusal: (max) =>
      `The team has ${many(max, "member")}, the most allowed: one of its administrators can remove somebody`,
  },
  invitation_links: {
    whose: "team",
    most: 10,
    variable: "MAX_INVITATION_LINKS_PER_TEAM",
    table: "team_invitations",
    owner: "team_id",
    counts: `kind = 'link' AND revoked_at IS NULL AND expires_at > now() AND (max_uses IS NULL OR uses < max_uses)
      AND EXISTS (SELECT 1 FROM users i WHERE i.id = team_invitations.invited_by AND i.is_active)`,
    code: "invalid_input",
    refusal: (max) => `A team may have ${many(max, "invitation link")} at a time: revoke one first`,
  },
  agents: {
    whose: "team",
    most: 100,
    variable: "MAX_AGENTS_PER_TEAM",
    table: "agents",
    owner: "team_id",
    counts: "is_active",
    code: "invalid_input",
    refusal: (max) => `A team has at most ${many(max, "agent")}: delete one first`,
  },
  projects: {
    whose: "team",
    most: 999_999,
    variable: {
      free: "TIER_MAX_PROJECTS_FREE",
      basic: "TIER_MAX_PROJECTS_BASIC",
      pro: "TIER_MAX_PROJECTS_PRO",
      ultra: "TIER_MAX_PROJECTS_ULTRA",
    },
    noLimit: 999_999,
    table: "projects",
    owner: "team_id",
    code: "insufficient_credits",
    refusal: (max) =>
      `The team has ${many(max, "project")}, the most of its tier: delete one, or take a larger tier`,
  },
  containers: {
    whose: "project",
    most: 50,
    variable: "MAX_CONTAINERS_PER_PROJECT",
    table: "containers",
    owner: "project_id",
    code: "conflict",
    refusal: (max) => `The project has ${many(max, "container")}, the most allowed: delete one first`,
  },
  browser_previews: {
    whose: "project",
    most: 50,
    variable: "MAX_BROWSER_PREVIEWS_PER_PROJECT",
    table: "browser_previews",
    owner: "project_id",
    code: "invalid_input",
    refusal: (max) => `The project has ${many(max, "browser preview")}, the most allowed: delete one first`,
  },
  unfinished_deployments: {
    whose: "project",
    most: 25,
    variable: "MAX_UNFINISHED_DEPLOYMENTS_PER_PROJECT",
    table: "deployments",
    owner: "project_id",
    counts: "status IN ('pending', 'building', 'pushing', 'deploying', 'deleting')",
    code: "rate_limited",
    refusal: (max) =>
      `${many(max, "deployment")} of this project are not over yet: wait for one to end, or cancel it`,
  },
} as const satisfies Record<string, Ceiling>;

/**
 * Ceilings on what is open. The object that holds it counts: a count over all objects would cost a call of another object for
 * each stream. How fast a person opens streams is limited as any request.
 */
export const OPEN_CEILINGS = {
  streams_of_task: { whose: "person and task", most: 1_000, variable: "MAX_STREAMS_PER_TASK" },
  sockets_of_project: { whose: "person and project", most: 50, variable: "MAX_SOCKETS_PER_PROJECT" },
  command_line_sockets: { whose: "person", most: 50, variable: "MAX_COMMAND_LINE_SOCKETS_PER_USER" },
} as const;

function many(count: number, thing: string): string {
  return `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;
}
