import type { api } from "@agent-workspace/client";
import { File as FileIcon, X } from "lucide-preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { bytes } from "../../parts/bytes.ts";
import { Icon } from "../../parts/icon.tsx";
import { Refused } from "../../parts/refused.tsx";
import { UploadProgress } from "../../parts/upload-progress.tsx";
import { uploading } from "../../service/upload.ts";
import { workspace } from "../../service/workspace.ts";

const MAX_ATTACHMENTS = 10;
/** A pasted text that is longer is a file, as a message takes 10,000 characters. */
const MAX_PASTED = 4_000;
/** Pictures that models are shown; others are files. */
const PICTURES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** A file of a message that is not sent yet: on its way to the service, or there. */
interface Upload {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  /** What a picture looks like. */
  readonly thumbnail: string | undefined;
  /** How much of it was sent, from 0 to 1. */
  readonly sent: number;
  readonly stored: api.UploadAttachmentAnswer | undefined;
}

/** Files of a message that is not sent yet. They are uploaded at once. */
export interface Attachments {
  readonly uploads: readonly Upload[];
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly add: (files: readonly File[]) => void;
  readonly remove: (upload: Upload) => void;
  /** Hands out what a message takes with it, and begins anew. */
  readonly take: () => readonly object[];
}

export function useAttachments(chatId: string): Attachments {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const [error, setError] = useState<unknown>();
  const thumbnails = useRef(new Set<string>());
  useEffect(() => () => thumbnails.current.forEach((url) => URL.revokeObjectURL(url)), []);
  const upload = async (file: File) => {
    const [id, name] = [crypto.randomUUID(), file.name || "pasted.txt"];
    const thumbnail = PICTURES.has(file.type) ? URL.createObjectURL(file) : undefined;
    if (thumbnail !== undefined) thumbnails.current.add(thumbnail);
    const change = (changed: Partial<Upload>) =>
      setUploads((before) => before.map((each) => (each.id === id ? { ...each, ...changed } : each)));
    setUploads((before) => [...before, { id, name, size: file.size, thumbnail, sent: 0, stored: undefined }]);
    try {
      const stored = await uploading((sent) => change({ sent })).chats.attach(chatId, file, name);
      change({ stored });
    } catch (refusal) {
      setUploads((before) => before.filter((each) => each.id !== id));
      setError(refusal);
    }
  };
  return {
    uploads,
    isBusy: uploads.some(({ stored }) => stored === undefined),
    error,
    add: (files) => {
      setError(undefined);
      for (const file of files.slice(0, Math.max(0, MAX_ATTACHMENTS - uploads.length))) void upload(file);
    },
    remove: ({ id, stored }) => {
      setUploads((before) => before.filter((each) => each.id !== id));
      if (!stored) return;
      // One that stays is removed by the service within a day.
      const path = { chat: chatId, attachment: stored.attachment_id };
      workspace.request("DELETE", "/api/chats/{chat}/attachments/{attachment}", { path }).catch(() => {});
    },
    take: () => {
      setUploads([]);
      return uploads.flatMap(({ stored }) => (stored ? [wireOf(stored)] : []));
    },
  };
}

/** An upload as a message takes it. */
function wireOf({ attachment_id, file_path, filename, mime_type }: api.UploadAttachmentAnswer): object {
  const type = PICTURES.has(mime_type) ? "image" : "file_reference";
  return { type, attachment_id, file_path, mime_type, label: filename };
}

/** Files out of a drop or a paste. A long pasted text becomes one. */
export function filesIn(data: DataTransfer | null): readonly File[] {
  const files = [...(data?.files ?? [])];
  const text = files.length === 0 ? (data?.getData("text/plain") ?? "") : "";
  return text.length > MAX_PASTED ? [new File([text], "pasted.txt", { type: "text/plain" })] : files;
}

/** The files that go with the message, each of which can be taken off. */
export function AttachmentList({ attachments }: { attachments: Attachments }) {
  const { uploads, error, remove } = attachments;
  return (
    <>
      {uploads.length > 0 && (
        <ul class="row attachments" aria-label="Attachments">
          {uploads.map((upload) => (
            <li key={upload.id}>
              {upload.thumbnail === undefined ? (
                <Icon of={FileIcon} />
              ) : (
                <img src={upload.thumbnail} alt="" />
              )}
              <span class="name" dir="auto">
                {upload.name}
              </span>
              {upload.stored ? (
                <span class="muted small">{bytes(upload.size)}</span>
              ) : (
                <UploadProgress of={upload.name} sent={upload.sent} />
              )}
              <button
                type="button"
                class="quiet icon-button"
                aria-label={`Remove ${upload.name}`}
                onClick={() => remove(upload)}
              >
                <Icon of={X} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {error !== undefined && <Refused error={error} />}
    </>
  );
}
