import { randomUUID } from "node:crypto";
import path from "node:path";
import { badRequest } from "./bot-error.ts";
import type { ApiFile, ApiMessage, Bot } from "./message.ts";
import type { Upload } from "./parameters.ts";
import type { ChatStore, KeptFile } from "./store.ts";

const MAX_PHOTO_BYTES = 10 * 1024 * 1024;
const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;

/** How a file is shown in a chat. */
export type FileKind = "photo" | "voice" | "document";

const FOLDERS: Readonly<Record<FileKind, string>> = {
  photo: "photos",
  voice: "voice",
  document: "documents",
};

/** First bytes of the images that the platform can show. */
const IMAGES: readonly (readonly [at: number, bytes: string])[] = [
  [0, "\u{89}PNG\r\n"],
  [0, "\u{FF}\u{D8}\u{FF}"],
  [0, "GIF8"],
  [8, "WEBP"],
];

/** Stores a file and returns the part of a message that shows it. */
export function keepFile(
  store: ChatStore,
  bot: Bot,
  kind: FileKind,
  { name, mimeType, bytes }: Upload,
): Pick<ApiMessage, FileKind> {
  if (bytes.byteLength === 0) throw badRequest("file must be non-empty");
  if (bytes.byteLength > MAX_UPLOAD_BYTES) throw badRequest("file is too big");
  if (kind === "photo") {
    if (bytes.byteLength > MAX_PHOTO_BYTES) throw badRequest("too big for a photo");
    if (!isImage(bytes)) throw badRequest("IMAGE_PROCESS_FAILED");
  }
  const id = randomUUID();
  const ending = /^\.\w{1,8}$/u.exec(path.extname(name))?.[0] ?? (kind === "voice" ? ".oga" : "");
  const kept: KeptFile = { id, path: `${FOLDERS[kind]}/${id}${ending}`, name, mimeType, bytes };
  store.addFile(bot, kept);
  return shown(kind, kept);
}

/** The part of a message that shows a file that the platform has. */
export function shown(kind: FileKind, { id, name, mimeType, bytes }: KeptFile): Pick<ApiMessage, FileKind> {
  const file: ApiFile = { file_id: id, file_unique_id: id.slice(0, 8), file_size: bytes.byteLength };
  const type = mimeType === "" ? {} : { mime_type: mimeType };
  switch (kind) {
    case "photo": {
      return { photo: [{ ...file, width: 1, height: 1 }] };
    }
    case "voice": {
      return { voice: { ...file, duration: 1, ...type } };
    }
    case "document": {
      return { document: { ...file, file_name: name, ...type } };
    }
    default: {
      return kind satisfies never;
    }
  }
}

function isImage(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, 16)).toString("latin1");
  return IMAGES.some(([at, start]) => head.startsWith(start, at));
}
