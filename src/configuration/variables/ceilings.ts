import { integer } from "../fields.ts";

/** A ceiling; 0 is no limit. */
const most = (fallback: number) => integer(fallback, 0, 1_000_000);

/**
 * Most that a person, a team or a project may hold. What each one counts is in `src/domain/operations/ceilings`, together with
 * those whose variables are in other groups.
 */
export const ceilingVariables = {
  MAX_API_KEYS_PER_USER: most(10),
  MAX_DESKTOP_DEVICES_PER_USER: most(10),
  MAX_PAIRING_LINKS_PER_USER: most(10),
  MAX_DEVICE_SIGN_INS_PER_ADDRESS: most(10),
  MAX_CHANNELS_PER_USER: most(100),
  MAX_CHANNEL_CONNECTIONS_PER_USER: most(20),
  MAX_SCHEDULES_PER_USER: most(200),
  MAX_CHATS_PER_USER: most(50_000),
  MAX_UNSENT_ATTACHMENTS_PER_USER: most(500),
  MAX_TEMPLATES_PER_USER: most(100),
  MAX_MODEL_KEYS_PER_USER: most(100),
  MAX_MODEL_PROVIDERS_PER_USER: most(100),
  MAX_ADDED_MODELS_PER_USER: most(200),
  MAX_DEPLOYMENT_CREDENTIALS_PER_USER: most(100),
  MAX_TEAMS_PER_USER: most(10),
  MAX_MEMBERS_PER_TEAM: most(500),
  MAX_INVITATION_LINKS_PER_TEAM: most(10),
  MAX_AGENTS_PER_TEAM: most(100),
  MAX_CONTAINERS_PER_PROJECT: most(50),
  MAX_BROWSER_PREVIEWS_PER_PROJECT: most(50),
  MAX_UNFINISHED_DEPLOYMENTS_PER_PROJECT: most(25),
  /** Open at a time, by one person. */
  MAX_STREAMS_PER_TASK: most(1_000),
  MAX_SOCKETS_PER_PROJECT: most(50),
  MAX_COMMAND_LINE_SOCKETS_PER_USER: most(50),
};
