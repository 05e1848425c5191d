import { z } from "zod";
import { wireId } from "../received.ts";

const file = z.looseObject({
  name: z.string().nullish(),
  mimetype: z.string().nullish(),
  size: z.number().nullish(),
  url_private_download: z.string().nullish(),
  url_private: z.string().nullish(),
});

/** `message` and `app_mention` events. A timestamp is the message's id within its channel. */
export const message = z.looseObject({
  type: z.enum(["message", "app_mention"]),
  subtype: z.string().optional(),
  bot_id: z.string().nullish(),
  user: wireId,
  /** The sender's workspace, which in shared channels is another one. */
  user_team: wireId.optional(),
  team: wireId.optional(),
  channel: wireId,
  channel_type: z.string().optional(),
  text: z.string().nullish(),
  ts: wireId,
  thread_ts: wireId.optional(),
  parent_user_id: z.string().optional(),
  files: z.array(file).optional(),
  attachments: z.array(z.looseObject({ is_share: z.boolean().nullish() })).nullish(),
});

export const eventCallback = z.looseObject({
  type: z.string(),
  challenge: z.string().optional(),
  team_id: wireId.optional(),
  /** The workspace that the app receives the event through; `team_id` is where it happened. */
  context_team_id: wireId.nullish(),
  api_app_id: wireId.optional(),
  /** Whom the event is delivered to: the bot's own user. */
  authorizations: z
    .array(z.looseObject({ user_id: z.string(), is_bot: z.boolean().optional(), team_id: wireId.nullish() }))
    .optional(),
  event: z.unknown().optional(),
});
export type EventCallback = z.infer<typeof eventCallback>;

/** A frame of Socket Mode that holds something; others say hello or goodbye. */
export const envelope = z.looseObject({
  type: z.enum(["events_api", "interactive", "slash_commands"]),
  payload: z.unknown().optional(),
});

export const interaction = z.looseObject({ type: z.string() });

/** Buttons that were pressed. */
export const blockActions = z.looseObject({
  type: z.literal("block_actions"),
  api_app_id: wireId.optional(),
  user: z.looseObject({
    id: wireId,
    username: z.string().nullish(),
    name: z.string().nullish(),
    team_id: wireId.nullish(),
  }),
  team: z.looseObject({ id: wireId }).nullish(),
  channel: z.looseObject({ id: wireId, name: z.string().nullish() }),
  message: z.looseObject({ ts: wireId, thread_ts: wireId.optional() }),
  actions: z.array(
    z.looseObject({
      action_id: z.string(),
      action_ts: wireId,
      value: z.string().nullish(),
      selected_option: z.looseObject({ value: z.string() }).nullish(),
    }),
  ),
  response_url: z.string().optional(),
});

export const slashCommand = z.looseObject({
  command: z.string().startsWith("/"),
  text: z.string().default(""),
  team_id: wireId,
  api_app_id: wireId.optional(),
  channel_id: wireId,
  channel_name: z.string().optional(),
  user_id: wireId,
  user_name: z.string().optional(),
  response_url: z.string().optional(),
  trigger_id: wireId,
});
