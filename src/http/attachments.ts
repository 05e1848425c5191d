import { z } from "zod";
import { text } from "./schemas.ts";

/** Longest pasted text and longest picture, in characters. Source: projects-chat.md, section 11. */
const MAX_PASTED = 500_000;
const MAX_IMAGE = 20_000_000;
const MAX_ATTACHMENTS = 10;

const Attachment = z
  .object({
    type: z.enum(["image", "pasted_text", "file_reference"]),
    content: text({ max: MAX_IMAGE }).nullish().describe("Base64 of a picture, or pasted text"),
    mime_type: text({ max: 200 }).nullish(),
    file_path: text({ max: 4096 }).nullish().describe("A file of the project"),
    label: text({ max: 255 }).nullish(),
    attachment_id: z.uuid().nullish().describe("An upload of the chat"),
  })
  .refine(({ type, content }) => type === "image" || (content ?? "").length <= MAX_PASTED, {
    message: `pasted text must have at most ${MAX_PASTED} characters`,
    path: ["content"],
  })
  .refine(
    ({ content, file_path, attachment_id }) => [content, file_path, attachment_id].some((each) => each),
    "must have a content, a file_path or an attachment_id",
  );

/** What comes with a message to the agent, over HTTP and over sockets alike. */
export const Attachments = z.array(Attachment).max(MAX_ATTACHMENTS);

/** What to do with what a frame of a socket has no room for. */
export const UPLOAD_FIRST =
  "upload a larger file with POST /api/chats/{chat}/attachments, and send its attachment_id";
