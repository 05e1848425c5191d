import type { Platform } from "#src/channels/channel.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Channel } from "./queries.ts";

export type InboundMode = Channel["inboundMode"];

/** How messages of a platform can arrive; the first is the usual way. */
export const INBOUND_MODES: Readonly<Record<Platform, readonly InboundMode[]>> = {
  telegram: ["connection", "webhook"],
  slack: ["webhook", "connection"],
  discord: ["connection", "webhook"],
  whatsapp: ["webhook"],
  signal: ["connection"],
  cli: ["connection"],
};

/**
 * The way that a channel's messages arrive: the wished one, else the usual one of its platform and credentials. Throws
 * `invalid_body` for a way that the platform does not have, or not with these credentials.
 */
export function inboundModeOf(
  platform: Platform,
  credentials: Readonly<Record<string, unknown>>,
  wish: InboundMode | undefined,
): InboundMode {
  const [usual = "webhook"] = INBOUND_MODES[platform];
  const canConnect = platform !== "slack" || credentials["app_token"] !== undefined;
  if (wish === undefined) return platform === "slack" && canConnect ? "connection" : usual;
  if (!INBOUND_MODES[platform].includes(wish)) {
    throw new AppError("invalid_body", `inbound_mode: messages of this platform arrive by ${usual} alone`);
  }
  if (wish === "connection" && !canConnect) {
    throw new AppError("invalid_body", "inbound_mode: a connection to Slack needs credentials.app_token");
  }
  return wish;
}

/**
 * Whether the channel's webhook has an address for its owner. Slack and Discord send commands and clicks there also beside a
 * connection; Telegram calls it in place of one.
 */
export function hasWebhookAddress({
  channelType,
  inboundMode,
}: Pick<Channel, "channelType" | "inboundMode">): boolean {
  if (channelType === "telegram") return inboundMode === "webhook";
  return INBOUND_MODES[channelType].includes("webhook");
}
