import type { api } from "@agent-workspace/client";
import { useState } from "preact/hooks";
import { bytes } from "../../parts/bytes.ts";
import { Refused } from "../../parts/refused.tsx";
import { workspace } from "../../service/workspace.ts";

const MAX_ATTACHMENTS = 10;
/** A pasted text that is longer is a file, as a message takes 10,000 characters. */
const MAX_PASTED = 4_000;
/** Pictures that models are shown; others are files. */
const PICTURES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Files of a message that is not sent yet. They are uploaded at once. */
export interface Attachments {
  readonly uploads: readonly api.UploadAttachmentAnswer[];
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly add: (files: readonly File[]) => void;
  readonly remove: (id: string) => void;
  /** These were sent with a message. */
  readonly clear: (sent: readonly api.UploadAttachmentAnswer[]) => void;
  /** As a message takes them. */
  readonly wire: readonly object[];
}

export function useAttachments(chatId: string): Attachments {
  const [uploads, setUploads] = useState<readonly api.UploadAttachmentAnswer[]>([]);
  const [busy, setBusy] = useState(0);
  const [error, setError] = useState<unknown>();
  const upload = async (file: File) => {
    setBusy((count) => count + 1);
    try {
      const stored = await workspace.chats.attach(chatId, file, file.name || "pasted.txt");
      setUploads((before) => [...before, stored]);
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy((count) => count - 1);
    }
  };
  return {
    uploads,
    isBusy: busy > 0,
    error,
    add: (files) => {
      setError(undefined);
      for (const file of files.slice(0, Math.max(0, MAX_ATTACHMENTS - uploads.length - busy)))
        void upload(file);
    },
    remove: (id) => {
      setUploads((before) => before.filter(({ attachment_id }) => attachment_id !== id));
      // One that stays is removed by the service within a day.
      const path = { chat: chatId, attachment: id };
      workspace.request("DELETE", "/api/chats/{chat}/attachments/{attachment}", { path }).catch(() => {});
    },
    clear: (sent) => setUploads((before) => before.filter((each) => !sent.includes(each))),
    wire: uploads.map(({ attachment_id, filename, mime_type }) => ({
      type: PICTURES.has(mime_type) ? "image" : "file_reference",
      attachment_id,
      label: filename,
    })),
  };
}

/** Files out of a drop or a paste. A long pasted text becomes one. */
export function filesIn(data: DataTransfer | null): readonly File[] {
  const files = [...(data?.files ?? [])];
  const text = files.length === 0 ? (data?.getData("text/plain") ?? "") : "";
  return text.length > MAX_PASTED ? [new File([text], "pasted.txt", { type: "text/plain" })] : files;
}

/** The files that go with the message, each of which can be taken off. */
export function AttachmentList({ attachments }: { attachments: Attachments }) {
  const { uploads, isBusy, error, remove } = attachments;
  return (
    <>
      {(uploads.length > 0 || isBusy) && (
        <ul class="row attachments" aria-label="Attachments">
          {uploads.map(({ attachment_id, filename, size_bytes }) => (
            <li key={attachment_id}>
              {filename} <span class="muted small">{bytes(size_bytes)}</span>
              <button type="button" aria-label={`Remove ${filename}`} onClick={() => remove(attachment_id)}>
                ×
              </button>
            </li>
          ))}
          {isBusy && <li class="muted small">Uploading…</li>}
        </ul>
      )}
      {error !== undefined && <Refused error={error} />}
    </>
  );
}
