import { z } from "zod";

const user = z.looseObject({
  id: z.int(),
  is_bot: z.boolean().optional(),
  username: z.string().optional(),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
});

const chat = z.looseObject({ id: z.int(), type: z.string() });

/** Offsets count UTF-16 units. */
const entity = z.looseObject({
  type: z.string(),
  offset: z.int(),
  length: z.int(),
  user: user.optional(),
});

const file = z.looseObject({
  file_id: z.string().min(1),
  mime_type: z.string().optional(),
  file_name: z.string().optional(),
  file_size: z.number().optional(),
});

const content = {
  text: z.string().optional(),
  caption: z.string().optional(),
};

export const message = z.looseObject({
  message_id: z.int(),
  message_thread_id: z.int().optional(),
  is_topic_message: z.boolean().optional(),
  from: user.optional(),
  sender_chat: chat.optional(),
  chat,
  date: z.number(),
  ...content,
  entities: z.array(entity).optional(),
  caption_entities: z.array(entity).optional(),
  reply_to_message: z
    .looseObject({
      message_id: z.int(),
      from: user.optional(),
      ...content,
      /** A topic's messages name the message that opened it. */
      forum_topic_created: z.unknown().optional(),
    })
    .optional(),
  /** Of a message that was forwarded. */
  forward_origin: z.unknown().optional(),
  /** The part of the other message that the person marked. */
  quote: z.looseObject({ text: z.string() }).optional(),
  voice: file.optional(),
  audio: file.optional(),
  /** One image in several sizes, the largest last. */
  photo: z.array(file).optional(),
  document: file.optional(),
  video: file.optional(),
  video_note: file.optional(),
});
export type Message = z.infer<typeof message>;

export const callbackQuery = z.looseObject({
  id: z.string().min(1),
  from: user,
  message: z.looseObject({
    message_id: z.int(),
    message_thread_id: z.int().optional(),
    is_topic_message: z.boolean().optional(),
    chat,
  }),
  data: z.string(),
});

export const chatMember = z.looseObject({
  chat,
  new_chat_member: z.looseObject({ status: z.string(), is_member: z.boolean().optional() }),
});

/** Each part is read apart: Telegram sends an update that is refused for a day, and everything behind it waits. */
export const update = z.looseObject({
  update_id: z.int(),
  message: z.unknown().optional(),
  callback_query: z.unknown().optional(),
  my_chat_member: z.unknown().optional(),
});
export type Update = z.infer<typeof update>;
