import { z } from "zod";
import { wireId } from "../received.ts";

const user = z.looseObject({
  id: wireId,
  bot: z.boolean().optional(),
  username: z.string().optional(),
  global_name: z.string().nullish(),
});

const member = z.looseObject({ nick: z.string().nullish(), user: user.optional() });

const attachment = z.looseObject({
  url: z.string().min(1),
  filename: z.string().optional(),
  content_type: z.string().nullish(),
  size: z.number().optional(),
});
export type Attachment = z.infer<typeof attachment>;

export const interaction = z.looseObject({ type: z.int(), application_id: wireId.optional() });

const whoAndWhere = {
  id: wireId,
  token: z.string().min(1),
  channel_id: wireId,
  guild_id: wireId.nullish(),
  /** 2 is a chat of others that the app was only installed into by one of them. */
  context: z.int().nullish(),
  member: member.optional(),
  user: user.optional(),
};

const value = z.union([z.string(), z.number(), z.boolean()]);
/** 11 is an attachment, by its id. */
const option = z.looseObject({ type: z.int().optional(), value: value.optional() });
/** Options are below a subcommand, or a subcommand of a group. */
const options = z.array(
  option.extend({ options: z.array(option.extend({ options: z.array(option).optional() })).optional() }),
);
export type Option = z.infer<typeof options>[number];

export const command = z.looseObject({
  ...whoAndWhere,
  data: z.looseObject({
    name: z.string(),
    options: options.optional(),
    resolved: z.looseObject({ attachments: z.record(z.string(), attachment).optional() }).nullish(),
  }),
});

export const component = z.looseObject({
  ...whoAndWhere,
  data: z.looseObject({ custom_id: z.string() }),
  message: z.looseObject({ id: wireId }),
});

/** The data of a MESSAGE_CREATE. */
export const message = z.looseObject({
  id: wireId,
  type: z.int().default(0),
  channel_id: wireId,
  guild_id: wireId.nullish(),
  author: user,
  member: member.optional(),
  webhook_id: z.string().nullish(),
  content: z.string().default(""),
  timestamp: z.string().optional(),
  flags: z.int().optional(),
  mentions: z.array(user).default([]),
  attachments: z.array(attachment).default([]),
  referenced_message: z
    .looseObject({ id: wireId, author: user.optional(), content: z.string().optional() })
    .nullish(),
});
