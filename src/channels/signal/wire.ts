import { z } from "zod";
import { wireId } from "../received.ts";

const optionalId = z.union([z.literal(""), wireId]).nullish();

const envelope = z.looseObject({
  sourceUuid: optionalId,
  /** Absent for people who hide it. */
  sourceNumber: optionalId,
  /** Either of the two, from old bridges. */
  source: optionalId,
  sourceName: z.string().nullish(),
  timestamp: z.int(),
  dataMessage: z.looseObject({
    message: z.string().nullish(),
    attachments: z
      .array(
        z.looseObject({
          id: wireId,
          contentType: z.string().nullish(),
          filename: z.string().nullish(),
          size: z.number().nullish(),
        }),
      )
      .nullish(),
    groupInfo: z.looseObject({ groupId: wireId }).nullish(),
    quote: z
      .looseObject({
        id: z.int(),
        author: z.string().nullish(),
        authorUuid: z.string().nullish(),
        authorNumber: z.string().nullish(),
        text: z.string().nullish(),
      })
      .nullish(),
    /** In the text a mention is one replacement character; offsets count UTF-16 units. */
    mentions: z
      .array(
        z.looseObject({
          uuid: z.string().nullish(),
          number: z.string().nullish(),
          name: z.string().nullish(),
          start: z.int(),
          length: z.int(),
        }),
      )
      .nullish(),
    reaction: z.unknown().optional(),
    remoteDelete: z.unknown().optional(),
  }),
});

const received = z.looseObject({ envelope, account: z.string().nullish() });

/** What the bridge sends: as it is, or as a notification of JSON-RPC. */
export const receivedFrame = z.union([
  received,
  z.looseObject({ params: received }).transform(({ params }) => params),
]);
export type DataMessage = z.infer<typeof envelope>["dataMessage"];
