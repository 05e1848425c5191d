import { bytesToHex, randomBytes } from "@noble/hashes/utils.js";
import { requireAgent } from "#src/domain/agent-work/agents/index.ts";
import type { UserCaller } from "#src/domain/organisations/access/index.ts";
import { requireTeam } from "#src/domain/organisations/teams/index.ts";
import { requireProject } from "#src/domain/workspaces/projects/index.ts";
import type { Platform } from "#src/channels/channel.ts";
import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { isGuid, newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import {
  changeChannel,
  channelOf,
  channelsOf,
  insertChannel,
  messagesOf,
  type Channel,
  type ChannelMessage,
} from "./queries.ts";
import {
  type Credentials,
  MASK,
  openCredentials,
  showChannel,
  type ShowDeps,
  type ShownChannel,
} from "./show-channel.ts";

export interface ChannelDeps extends Omit<ShowDeps, "config"> {
  db: Db;
  channelSecrets: Secrets;
  config: ShowDeps["config"] & { GATEWAY_NUM_SHARDS: number };
}

export interface ChannelWish {
  channelType: Platform;
  /** "My <platform>" when undefined. */
  name: string | undefined;
  credentials: Credentials;
  projectId: string | null;
  defaultAgentId: string | null;
  groupMode: Channel["groupMode"] | undefined;
}

/** Fields that are undefined stay as they are. */
export type ChannelChange = {
  [Field in keyof Omit<ChannelWish, "channelType">]?: ChannelWish[Field] | undefined;
} & { isActive?: boolean | undefined };

const MISSING = "Channel config not found";

/** A person's channels, deleted ones included, newest first. */
export async function listChannels(deps: ChannelDeps, caller: UserCaller): Promise<ShownChannel[]> {
  const channels = await channelsOf(deps.db, caller.userId);
  return Promise.all(channels.map((channel) => showChannel(deps, channel)));
}

/** Throws `not_found`, also for another person's channel. */
export async function requireChannel(deps: { db: Db }, caller: UserCaller, id: string): Promise<Channel> {
  const channel = isGuid(id) ? await channelOf(deps.db, caller.userId, id) : undefined;
  if (!channel) throw new AppError("not_found", MISSING);
  return channel;
}

/**
 * Connects a platform. Throws `invalid_body` for credentials that lack something, and as `requireProject` (permission
 * `channel.manage`) and `requireAgent` do.
 */
export async function createChannel(
  deps: ChannelDeps,
  caller: UserCaller,
  wish: ChannelWish,
  client: Client,
): Promise<ShownChannel> {
  const { channelType, projectId, defaultAgentId } = wish;
  const adapter = deps.channels[channelType];
  const credentials = checkCredentials(deps, channelType, wish.credentials);
  await requireTargets(deps, caller, { projectId, defaultAgentId });
  const id = newId();
  const channel = await insertChannel(
    deps.db,
    {
      id,
      userId: caller.userId,
      projectId,
      defaultAgentId,
      channelType,
      name: wish.name ?? `My ${adapter.label}`,
      ...(wish.groupMode && { groupMode: wish.groupMode }),
      encryptedCredentials: await deps.channelSecrets.encrypt(JSON.stringify(credentials)),
      encryptedWebhookSecret: await newWebhookSecret(deps),
      gatewayShard: shardOf(id, deps.config.GATEWAY_NUM_SHARDS),
    },
    client,
  );
  return showChannel(deps, channel);
}

/**
 * Changes a channel. Given credentials replace those of the same names, the others stay; masked values are refused. Throws
 * as `requireChannel` and `createChannel` do.
 */
export async function updateChannel(
  deps: ChannelDeps,
  caller: UserCaller,
  id: string,
  change: ChannelChange,
  client: Client,
): Promise<ShownChannel> {
  const channel = await requireChannel(deps, caller, id);
  const { credentials, ...values } = change;
  await requireTargets(deps, caller, values);
  const encrypted = credentials && {
    encryptedCredentials: await deps.channelSecrets.encrypt(
      JSON.stringify(checkCredentials(deps, channel.channelType, await merged(deps, channel, credentials))),
    ),
    // Who the bot is, and what failed before, was of the old credentials.
    botId: null,
    botName: null,
    lastError: null,
  };
  const fields = Object.entries(change).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  const changed = await changeChannel(
    deps.db,
    channel,
    { change: { ...values, ...encrypted }, action: "channel.updated", fields, onlyActive: false },
    client,
  );
  if (!changed) throw new AppError("not_found", MISSING);
  return showChannel(deps, changed);
}

/** Ends a channel; its messages stay. Throws `not_found`, and `invalid_input` for one that was ended before. */
export async function deleteChannel(
  deps: ChannelDeps,
  caller: UserCaller,
  id: string,
  client: Client,
): Promise<void> {
  const channel = await requireChannel(deps, caller, id);
  const change = { isActive: false };
  const ended = await changeChannel(
    deps.db,
    channel,
    { change, action: "channel.deleted", fields: ["is_active"], onlyActive: true },
    client,
  );
  if (!ended) throw new AppError("invalid_input", "Channel config is already deactivated");
}

/** Gives a channel's webhook another secret: the earlier address is refused from now on. Throws as `requireChannel` does. */
export async function rotateSecret(
  deps: ChannelDeps,
  caller: UserCaller,
  id: string,
  client: Client,
): Promise<ShownChannel> {
  const channel = await requireChannel(deps, caller, id);
  const change = { encryptedWebhookSecret: await newWebhookSecret(deps) };
  const rotated = await changeChannel(
    deps.db,
    channel,
    { change, action: "channel.secret_rotated", fields: ["webhook_secret"], onlyActive: true },
    client,
  );
  if (!rotated) throw new AppError("not_found", MISSING);
  return showChannel(deps, rotated);
}

/** A page of a channel's messages, newest first. Throws as `requireChannel` does. */
export async function listChannelMessages(
  deps: { db: Db },
  caller: UserCaller,
  id: string,
  page: { limit: number; offset: number },
): Promise<ChannelMessage[]> {
  const channel = await requireChannel(deps, caller, id);
  return messagesOf(deps.db, channel.id, page);
}

/** The project must let the caller manage channels, and the agent be one of the caller's team. */
async function requireTargets(
  deps: { db: Db },
  caller: UserCaller,
  { projectId, defaultAgentId }: Pick<ChannelChange, "projectId" | "defaultAgentId">,
): Promise<void> {
  if (projectId) await requireProject(deps, caller, projectId, "channel.manage");
  if (!defaultAgentId) return;
  const { teamId } = await requireTeam(deps, caller, "agent.view");
  await requireAgent(deps.db, teamId, defaultAgentId);
}

function checkCredentials(
  { channels }: Pick<ShowDeps, "channels">,
  channelType: Platform,
  given: Credentials,
): Credentials {
  if (JSON.stringify(given).includes(MASK)) {
    throw new AppError(
      "invalid_body",
      "credentials: a value is masked: send the whole value, or leave it out",
    );
  }
  const parsed = channels[channelType].credentials.safeParse(given);
  if (parsed.success) return { ...parsed.data };
  const [issue] = parsed.error.issues;
  throw new AppError(
    "invalid_body",
    `${["credentials", ...(issue?.path ?? [])].join(".")}: ${issue?.message}`,
  );
}

/** Earlier credentials with the given ones in their place; where the earlier ones are lost, the given ones. */
async function merged(deps: ChannelDeps, channel: Channel, given: Credentials): Promise<Credentials> {
  const earlier = await openCredentials(deps, channel).catch(() => undefined);
  return { ...earlier?.credentials, ...given };
}

const SECRET_BYTES = 32;

function newWebhookSecret({ channelSecrets }: Pick<ChannelDeps, "channelSecrets">): Promise<string> {
  return channelSecrets.encrypt(bytesToHex(randomBytes(SECRET_BYTES)));
}

/** The shard that keeps the channel's connection: the same for as long as the number of shards is. */
function shardOf(id: string, shards: number): number {
  return Number.parseInt(sha256Hex(id).slice(0, 8), 16) % shards;
}
