import { CEILINGS, OPEN_CEILINGS } from "#src/domain/operations/limits/ceilings.ts";
import { integer } from "../fields.ts";

/** A ceiling; 0 is no limit. */
const most = (ceiling: { most: number }) => integer(ceiling.most, 0, 1_000_000);

/**
 * Most that a person, a team or a project may hold. What each one counts is in its row, which has the default.
 */
export const ceilingVariables = {
  MAX_API_KEYS_PER_USER: most(CEILINGS.api_keys),
  MAX_DESKTOP_DEVICES_PER_USER: most(CEILINGS.desktop_devices),
  MAX_CONNECTED_APPS_PER_USER: most(CEILINGS.connected_apps),
  MAX_PASSKEYS_PER_USER: most(CEILINGS.passkeys),
  MAX_APP_REQUESTS_PER_USER: most(CEILINGS.app_requests),
  MAX_PAIRING_LINKS_PER_USER: most(CEILINGS.pairing_links),
  MAX_DEVICE_SIGN_INS_PER_ADDRESS: most(CEILINGS.device_sign_ins),
  MAX_CHANNELS_PER_USER: most(CEILINGS.channels),
  MAX_CHANNEL_CONNECTIONS_PER_USER: most(CEILINGS.channel_connections),
  MAX_SCHEDULES_PER_USER: most(CEILINGS.schedules),
  MAX_CHATS_PER_USER: most(CEILINGS.chats),
  MAX_UNSENT_ATTACHMENTS_PER_USER: most(CEILINGS.unsent_attachments),
  MAX_TEMPLATES_PER_USER: most(CEILINGS.templates),
  MAX_MODEL_KEYS_PER_USER: most(CEILINGS.model_keys),
  MAX_MODEL_PROVIDERS_PER_USER: most(CEILINGS.model_providers),
  MAX_ADDED_MODELS_PER_USER: most(CEILINGS.added_models),
  MAX_MCP_SERVERS_PER_USER: most(CEILINGS.mcp_servers_of_person),
  MAX_MCP_SERVERS_PER_TEAM: most(CEILINGS.mcp_servers_of_team),
  MAX_MCP_SERVERS_PER_PROJECT: most(CEILINGS.mcp_servers_of_project),
  MAX_DEPLOYMENT_CREDENTIALS_PER_USER: most(CEILINGS.deployment_credentials),
  MAX_TEAMS_PER_USER: most(CEILINGS.teams),
  MAX_MEMBERS_PER_TEAM: most(CEILINGS.members),
  MAX_INVITATION_LINKS_PER_TEAM: most(CEILINGS.invitation_links),
  MAX_AGENTS_PER_TEAM: most(CEILINGS.agents),
  MAX_CONTAINERS_PER_PROJECT: most(CEILINGS.containers),
  MAX_BROWSER_PREVIEWS_PER_PROJECT: most(CEILINGS.browser_previews),
  MAX_UNFINISHED_DEPLOYMENTS_PER_PROJECT: most(CEILINGS.unfinished_deployments),
  /** Open at a time, by one person. */
  MAX_STREAMS_PER_TASK: most(OPEN_CEILINGS.streams_of_task),
  MAX_SOCKETS_PER_PROJECT: most(OPEN_CEILINGS.sockets_of_project),
  MAX_COMMAND_LINE_SOCKETS_PER_USER: most(OPEN_CEILINGS.command_line_sockets),
};
