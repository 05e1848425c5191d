import { z } from "zod";
import { CEILINGS } from "#src/domain/operations/limits/ceilings.ts";
import { ALLOWANCES, EVENTS } from "#src/domain/operations/limits/table.ts";
import { flag, httpUrl, integer, optional, withDefault } from "../fields.ts";

/** Messaging platforms: connections, pairing, sessions, delivery, voice. */
export const gatewayVariables = {
  /** Whether messages of platforms are accepted and connections kept. */
  GATEWAY_ENABLED: flag(true),
  /** The shard that `GET /api/gateway/status` describes; every shard runs in its own object. */
  GATEWAY_SHARD: integer(0, 0, 1_023),
  GATEWAY_NUM_SHARDS: integer(1, 1, 1_024),
  /** Minutes without a message after which the next message of a session begins a new chat. */
  GATEWAY_SESSION_IDLE_MINUTES: integer(1_440, 1),
  /** Seconds that a pairing code is good for. */
  GATEWAY_PAIRING_CODE_TTL: integer(3_600, 60, 604_800),
  /** Codes of one channel that may wait to be entered. */
  GATEWAY_PAIRING_MAX_PENDING: integer(ALLOWANCES.waitingPairingCodes.most, 1, 1_000),
  /** Minutes between two codes for one person. */
  GATEWAY_PAIRING_RATE_LIMIT_MINUTES: integer(ALLOWANCES.pairingCodes.seconds / 60, 0, 1_440),
  /** Seconds between two looks for schedules that are due. */
  GATEWAY_TICK_INTERVAL: integer(60, 5, 3_600),
  /** Active schedules of one person. */
  GATEWAY_MAX_SCHEDULES_PER_USER: integer(CEILINGS.active_schedules.most, 1, 100_000),
  /** Redis key of the stream of replies. */
  GATEWAY_DELIVERY_STREAM: withDefault(z.string().regex(/^[\w:.-]{1,200}$/u), "gateway_delivery_stream"),
  /** Most entries of the stream, approximately. */
  GATEWAY_DELIVERY_MAXLEN: integer(10_000, 100),
  /** Whether voice messages are transcribed. */
  GATEWAY_VOICE_TRANSCRIPTION: flag(true),
  GATEWAY_VOICE_MODEL: withDefault(z.string(), "whisper-1"),
  /** Prefix of fetched media in the bucket of archives. */
  GATEWAY_MEDIA_CACHE_DIR: withDefault(z.string().regex(/^[\w.-]{1,100}$/u), "media"),
  GATEWAY_MEDIA_CACHE_MAX_AGE_HOURS: integer(24, 1, 720),
  /** Events of one channel in a minute, by webhook or connection; 0 is no limit. */
  CHANNEL_WEBHOOK_RATE_LIMIT: integer(EVENTS.channel.most, 0),
  /** Events of all channels of one person in a minute; 0 is no limit. */
  CHANNEL_OWNER_RATE_LIMIT: integer(EVENTS.owner.most, 0),
  TELEGRAM_API_BASE_URL: withDefault(httpUrl, "https://api.telegram.org"),
  /** Address of the chat platform; set by the local stack only. */
  CHAT_PLATFORM_URL: optional(httpUrl),
  SLACK_API_BASE_URL: withDefault(httpUrl, "https://slack.com/api"),
  DISCORD_API_BASE_URL: withDefault(httpUrl, "https://discord.com/api/v10"),
  WHATSAPP_API_BASE_URL: withDefault(httpUrl, "https://graph.facebook.com/v26.0"),
};
