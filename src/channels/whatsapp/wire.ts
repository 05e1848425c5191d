import { z } from "zod";
import { wireId } from "../received.ts";

/** Ids of people: empty or absent for one who has hidden it. */
const personId = z.union([z.literal(""), wireId]).nullish();

const file = z.looseObject({
  id: wireId,
  mime_type: z.string().optional(),
  filename: z.string().optional(),
  caption: z.string().optional(),
});

const choice = z.looseObject({ id: z.string(), title: z.string().optional() });

export const message = z.looseObject({
  id: wireId,
  /** The phone number, absent for people with a user name. */
  from: personId,
  /** The business-scoped user id. */
  from_user_id: personId,
  /** Of a group, which the service takes no part in. */
  group_id: z.string().nullish(),
  /** In seconds, as text. */
  timestamp: z
    .string()
    .regex(/^\d{1,12}$/u)
    .optional(),
  type: z.string(),
  text: z.looseObject({ body: z.string() }).optional(),
  image: file.optional(),
  audio: file.optional(),
  video: file.optional(),
  document: file.optional(),
  button: z.looseObject({ text: z.string() }).optional(),
  interactive: z.looseObject({ button_reply: choice.optional(), list_reply: choice.optional() }).optional(),
  context: z
    .looseObject({
      id: wireId.nullish(),
      forwarded: z.boolean().optional(),
      /** More than five times. */
      frequently_forwarded: z.boolean().optional(),
    })
    .nullish(),
});
export type Message = z.infer<typeof message>;

const contact = z.looseObject({
  wa_id: personId,
  user_id: personId,
  profile: z.looseObject({ name: z.string().optional(), username: z.string().optional() }).optional(),
});
export type Contact = z.infer<typeof contact>;

export const status = z.looseObject({
  id: wireId,
  status: z.string(),
  errors: z
    .array(
      z.looseObject({
        code: z.int(),
        title: z.string().optional(),
        message: z.string().optional(),
        error_data: z.looseObject({ details: z.string().optional() }).optional(),
      }),
    )
    .optional(),
});
export type Status = z.infer<typeof status>;

/** What one change of the field `messages` holds; each message is read apart, so that an odd one hides no other. */
export const value = z.looseObject({
  metadata: z.looseObject({
    phone_number_id: z.string().optional(),
    display_phone_number: z.string().optional(),
  }),
  contacts: z.array(contact).optional(),
  messages: z.array(z.unknown()).optional(),
  statuses: z.array(z.unknown()).optional(),
});
export type Value = z.infer<typeof value>;

export const delivery = z.looseObject({
  object: z.string(),
  entry: z
    .array(
      z.looseObject({
        changes: z
          .array(z.looseObject({ field: z.string().optional(), value: z.unknown().optional() }))
          .optional(),
      }),
    )
    .default([]),
});
