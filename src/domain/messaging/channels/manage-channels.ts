import { bytesToHex, randomBytes } from "@noble/hashes/utils.js";
import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import type { UserCaller } from "#src/domain/access/permissions/index.ts";
import type { Platform } from "#src/channels/channel.ts";
import type { Client } from "#src/lib/client.ts";
import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { isGuid, newId } from "#src/lib/ids.ts";
import type { Db } from "#src/platform/db/client.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import { followWebhook, introduceBot, type PlatformDeps } from "./at-platform.ts";
import { checkCredentials, mergedCredentials, requireTargets } from "./check-input.ts";
import { type InboundMode, inboundModeOf } from "./inbound-mode.ts";
import { LOSS_SENTENCES } from "./losses.ts";
import {
  changeChannel,
  channelOf,
  channelsOf,
  commandLineOf,
  insertChannel,
  insertCommandLine,
  messagesOf,
  type Channel,
  type ChannelMessage,
  type CheckedChannel,
} from "./queries.ts";
import { type Credentials, showChannel, type ShowDeps, type ShownChannel } from "./show-channel.ts";

export interface ChannelDeps extends Omit<PlatformDeps, "channels" | "config"> {
  channels: PlatformDeps["channels"] & ShowDeps["channels"];
  channelSecrets: Secrets;
  config: { PUBLIC_URL: string; GATEWAY_NUM_SHARDS: number; ENVIRONMENT: string } & CeilingConfig<
    "channels" | "channel_connections"
  >;
}

export interface ChannelInput {
  channelType: Platform;
  /** "My <platform>" when undefined. */
  name: string | undefined;
  credentials: Credentials;
  projectId: string | null;
  defaultAgentId: string | null;
  groupMode: Channel["groupMode"] | undefined;
  /** The platform's default when undefined. */
  inboundMode: InboundMode | undefined;
  hasReactions: boolean | undefined;
  /** Whether links made here also count in the owner's other channels of the platform, if those share links, too. */
  sharesLinks: boolean | undefined;
}

/** Fields that are undefined stay as they are. */
export type ChannelChange = {
  [Field in keyof Omit<ChannelInput, "channelType">]?: ChannelInput[Field] | undefined;
} & { isActive?: boolean | undefined };

const MISSING = "Channel config not found";

/** Returns the caller's channels, deleted ones included, newest first. */
export async function listChannels(deps: ChannelDeps, caller: UserCaller): Promise<ShownChannel[]> {
  const channels = await channelsOf(deps.db, caller.userId);
  return Promise.all(channels.map(({ loss, ...channel }) => showChannel(deps, channel, loss)));
}

/** Returns the caller's channel with this id. Throws `not_found`, also for another person's channel. */
export async function requireChannel(
  deps: { db: Db },
  caller: UserCaller,
  id: string,
): Promise<CheckedChannel> {
  const channel = isGuid(id) ? await channelOf(deps.db, caller.userId, id) : undefined;
  if (!channel) throw new AppError("not_found", MISSING);
  return channel;
}

/** Throws `invalid_input` for a channel that has stopped working, with the reason. */
export function requireLive({ loss }: CheckedChannel): void {
  if (loss === "deleted") throw new AppError("invalid_input", "Channel config is not active");
  if (loss !== null) throw new AppError("invalid_input", LOSS_SENTENCES[loss]);
}

/**
 * Connects a platform. Throws:
 * - `invalid_body` for incomplete credentials;
 * - `invalid_input` for credentials that the platform refuses, and for a person who has reached the limit of channels or
 *   connections. In production also for credentials of the chat platform of `npm start`;
 * - as `requireProject` (permission `channel.manage`) and `requireAgent` do.
 */
export async function createChannel(
  deps: ChannelDeps,
  caller: UserCaller,
  input: ChannelInput,
  client: Client,
): Promise<ShownChannel> {
  const { channelType, projectId, defaultAgentId, groupMode, hasReactions, sharesLinks } = input;
  const adapter = deps.channels[channelType];
  const credentials = checkCredentials(deps, channelType, input.credentials);
  const inboundMode = inboundModeOf(channelType, credentials, input.inboundMode);
  await requireTargets(deps, caller, { projectId, defaultAgentId });
  const channel = await insertChannel(
    deps,
    {
      ...(await newChannel(deps, {
        channelType,
        credentials,
        name: input.name ?? `My ${adapter.label}`,
        inboundMode,
      })),
      userId: caller.userId,
      projectId,
      defaultAgentId,
      ...(groupMode && { groupMode }),
      ...(hasReactions !== undefined && { hasReactions }),
      ...(sharesLinks === true && { linksSharedSince: new Date() }),
      ...(await introduceBot(deps, channelType, credentials)),
    },
    client,
  );
  return showChannel(deps, await followWebhook(deps, undefined, channel));
}

/**
 * Returns the channel of a person's command line, and creates it if there is none. A person has one for each project, and
 * one without a project, for the default workspace.
 */
export async function commandLineChannel(
  deps: ChannelDeps,
  { userId, projectId }: { userId: string; projectId: string | null },
  client: Client,
): Promise<Channel> {
  const [channel] = await commandLineOf(deps.db, userId, projectId);
  if (channel) return channel;
  const made = await newChannel(deps, {
    channelType: "cli",
    credentials: {},
    name: deps.channels.cli.label,
    inboundMode: inboundModeOf("cli", {}, undefined),
  });
  return insertCommandLine(deps.db, { ...made, userId, projectId }, client);
}

/** Returns the values of a new channel: its id, the shard that follows from the id, and its encrypted secrets. */
async function newChannel(
  deps: Pick<ChannelDeps, "channelSecrets" | "config">,
  {
    credentials,
    ...values
  }: Pick<ChannelInput, "channelType" | "credentials"> & { name: string; inboundMode: InboundMode },
) {
  const id = newId();
  return {
    id,
    ...values,
    encryptedCredentials: await deps.channelSecrets.encrypt(JSON.stringify(credentials)),
    encryptedWebhookSecret: await newWebhookSecret(deps),
    gatewayShard: shardOf(id, deps.config.GATEWAY_NUM_SHARDS),
  };
}

/**
 * Changes a channel. Given credentials replace stored ones of the same names; the others stay. Masked values are refused. If
 * the channel is active after the change, the caller must have the rights to create it now. So a channel that has lost its
 * project needs another one. Throws as `requireChannel` and `createChannel` do, and `conflict` if the channel's project is
 * deleted or changed in the meantime.
 */
export async function updateChannel(
  deps: ChannelDeps,
  caller: UserCaller,
  id: string,
  change: ChannelChange,
  client: Client,
): Promise<ShownChannel> {
  const channel = await requireChannel(deps, caller, id);
  const { credentials: given, sharesLinks, ...values } = change;
  const sharing = sharesLinks !== undefined && { linksSharedSince: sharingSince(channel, sharesLinks) };
  const platform = channel.channelType;
  const credentials =
    given && checkCredentials(deps, platform, await mergedCredentials(deps, channel, given));
  if (values.inboundMode) {
    inboundModeOf(platform, credentials ?? (await mergedCredentials(deps, channel, {})), values.inboundMode);
  }
  await requireTargets(deps, caller, targetsAfter(channel, values));
  const encrypted = credentials && {
    encryptedCredentials: await deps.channelSecrets.encrypt(JSON.stringify(credentials)),
    ...(await introduceBot(deps, platform, credentials)),
  };
  const becomesWebhook = values.inboundMode === "webhook" && channel.inboundMode !== "webhook";
  const webhook = becomesWebhook && {
    // The owner may know the secret of an earlier webhook.
    encryptedWebhookSecret: await newWebhookSecret(deps),
  };
  const proof = channel.provedAt === null && { proveAt: new Date() };
  const fields = Object.entries(change).flatMap(([field, value]) =>
    value === undefined ? [] : [wireName(field)],
  );
  const changed = await changeChannel(
    deps,
    channel,
    {
      change: {
        ...values,
        ...webhook,
        ...proof,
        ...encrypted,
        ...sharing,
        ...(values.isActive === true && { endedBecause: null }),
      },
      action: "channel.updated",
      fields,
      onlyActive: false,
    },
    client,
  );
  if (!changed) throw new AppError("conflict", "The channel's project has changed meanwhile: try again");
  return showChannel(deps, await followWebhook(deps, channel, changed));
}

/** Returns the project and the agent that must be checked. An inactive channel may keep a project that its owner has lost. */
function targetsAfter(channel: CheckedChannel, change: Omit<ChannelChange, "credentials">) {
  const { projectId = channel.projectId, defaultAgentId, isActive = channel.isActive } = change;
  if (!isActive) return { projectId: change.projectId, defaultAgentId };
  const { loss } = channel;
  if (projectId === null && (loss === "project_deleted" || loss === "access_lost")) {
    throw new AppError("invalid_input", `project_id: ${LOSS_SENTENCES[loss]}`);
  }
  return { projectId, defaultAgentId };
}

/** Ends a channel and returns it. Its messages stay. Throws `not_found`, and `invalid_input` if it has ended before. */
export async function deleteChannel(
  deps: ChannelDeps,
  caller: UserCaller,
  id: string,
  client: Client,
): Promise<Channel> {
  const channel = await requireChannel(deps, caller, id);
  const change = { isActive: false };
  const ended = await changeChannel(
    deps,
    channel,
    { change, action: "channel.deleted", fields: ["is_active"], onlyActive: true },
    client,
  );
  if (!ended) throw new AppError("invalid_input", "Channel config is already deactivated");
  return followWebhook(deps, channel, ended);
}

/** Gives a channel's webhook a new secret. The old address is refused from now on. Throws as `requireChannel` does. */
export async function rotateSecret(
  deps: ChannelDeps,
  caller: UserCaller,
  id: string,
  client: Client,
): Promise<ShownChannel> {
  const channel = await requireChannel(deps, caller, id);
  const change = { encryptedWebhookSecret: await newWebhookSecret(deps) };
  const rotated = await changeChannel(
    deps,
    channel,
    { change, action: "channel.secret_rotated", fields: ["webhook_secret"], onlyActive: true },
    client,
  );
  if (!rotated) throw new AppError("not_found", MISSING);
  return showChannel(deps, await followWebhook(deps, channel, rotated));
}

/**
 * Returns a page of a channel's messages, newest first. Throws as `requireChannel` does. Throws `forbidden` once the owner has
 * lost access to the channel's project, because members of the project may go on writing for a while.
 */
export async function listChannelMessages(
  deps: { db: Db },
  caller: UserCaller,
  id: string,
  page: { limit: number; offset: number },
): Promise<ChannelMessage[]> {
  const channel = await requireChannel(deps, caller, id);
  if (channel.loss === "access_lost") throw new AppError("forbidden", LOSS_SENTENCES.access_lost);
  return messagesOf(deps.db, channel.id, page);
}

/** Returns since when links are shared. Links that were made earlier count only in the channel where they were made. */
function sharingSince({ linksSharedSince }: Channel, sharesLinks: boolean): Date | null {
  return sharesLinks ? (linksSharedSince ?? new Date()) : null;
}

/** Returns a field's name as clients write it. The audit log uses these names. */
function wireName(field: string): string {
  return field.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
}

const SECRET_BYTES = 32;

/** Returns a new secret as a Fernet token. */
export function newWebhookSecret({ channelSecrets }: Pick<ChannelDeps, "channelSecrets">): Promise<string> {
  return channelSecrets.encrypt(bytesToHex(randomBytes(SECRET_BYTES)));
}

/** Returns the shard that keeps the channel's connection. It changes only when the number of shards changes. */
function shardOf(id: string, shards: number): number {
  return Number.parseInt(sha256Hex(id).slice(0, 8), 16) % shards;
}
