import { z } from "zod";

/** An attachment that a client sends with a message. */
export interface Attachment {
  type: "image" | "pasted_text" | "file_reference";
  /** Base64 of an image that is not stored yet, or pasted text. */
  content?: string | null | undefined;
  mime_type?: string | null | undefined;
  /** Path of the file in the project. */
  file_path?: string | null | undefined;
  label?: string | null | undefined;
}

const Attachments = z.object({
  attachments: z.array(
    z.object({
      type: z.enum(["image", "pasted_text", "file_reference"]),
      mime_type: z.string().nullish(),
      file_path: z.string().nullish(),
      label: z.string().nullish(),
    }),
  ),
});

/** Returns the attachments of a stored message; their contents are in the project's files. */
export function attachmentsOf(messageMetadata: unknown): Attachment[] {
  return Attachments.safeParse(messageMetadata).data?.attachments ?? [];
}
