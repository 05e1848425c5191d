import type { ChatAttachment } from "./queries.ts";

/** An attachment as it is stored with its message. */
export interface Attached {
  type: "image" | "pasted_text" | "file_reference";
  attachment_id: string | null;
  file_path: string;
  mime_type: string | null;
  label: string | null;
  size_bytes: number | null;
}

/** A stored file as an attachment; `label` is the name that the model is shown. */
export function attachedOf(row: ChatAttachment, type: Attached["type"], label: string | null): Attached {
  return {
    type,
    attachment_id: row.id,
    file_path: row.filePath,
    mime_type: row.mimeType,
    label: label ?? row.filename,
    size_bytes: row.sizeBytes,
  };
}
