import type { MediaReference } from "#src/channels/channel.ts";
import {
  attachedOf,
  storeFile,
  type Attached,
  type ChatAttachment,
} from "#src/domain/agent-work/attachments/index.ts";
import type { Caller } from "#src/domain/access/permissions/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { IMAGE_MIME_TYPES } from "#src/models/model.ts";
import { REQUEST_PICTURE_CHARS } from "#src/models/picture-limits.ts";
import { readPicture } from "#src/models/picture.ts";
import type { CachedMedia } from "#src/platform/media-cache/media-cache.ts";
import { MediaProblem } from "./media-problem.ts";

export type AttachDeps = Parameters<typeof storeFile>[0];

/** Bytes of all pictures that a model is shown together. Others are files that the agent can look at. */
const MAX_SHOWN_BYTES = (REQUEST_PICTURE_CHARS / 4) * 3;

/** The files of one turn. */
export class TurnFiles {
  #shownBytes = 0;
  readonly #deps: AttachDeps;
  readonly #caller: Caller;
  readonly #openChat: () => Promise<{ id: string; projectId: string }>;

  /** `openChat` returns the chat that the files are for. It is called when there is a file. */
  constructor(
    deps: AttachDeps,
    { caller, openChat }: { caller: Caller; openChat: () => Promise<{ id: string; projectId: string }> },
  ) {
    this.#deps = deps;
    this.#caller = caller;
    this.#openChat = openChat;
  }

  /**
   * Stores a fetched file in the chat's project, as an upload in a browser is. `id` is the attachment's. Throws
   * `MediaProblem` when the project takes no files, and as `requireProject` does.
   */
  async attach(id: string, media: MediaReference, { bytes, mimeType }: CachedMedia): Promise<Attached> {
    const chat = await this.#openChat();
    const image = readPicture(bytes)?.mimeType;
    const type = image ?? notShown(media.mimeType ?? mimeType);
    const upload = { id, filename: media.filename ?? defaultName(media, type), mimeType: type };
    try {
      const body = new Blob([bytes]).stream();
      const row = await storeFile(this.#deps, this.#caller, chat, { ...upload, body });
      return this.#attachmentOf(row, image !== undefined);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "conflict") throw error;
      throw new MediaProblem(media, `${error.message}.`, { cause: error });
    }
  }

  /** The attachment of a file that an earlier attempt stored. */
  async again(row: ChatAttachment): Promise<Attached> {
    await this.#openChat();
    return this.#attachmentOf(row, isShown(row.mimeType));
  }

  #attachmentOf(row: ChatAttachment, isImage: boolean): Attached {
    if (isImage) this.#shownBytes += row.sizeBytes;
    const isWithin = isImage && this.#shownBytes <= MAX_SHOWN_BYTES;
    return attachedOf(row, isWithin ? "image" : "file_reference", null);
  }
}

/** Whether models read pictures of a type. */
function isShown(mimeType: string): boolean {
  return IMAGE_MIME_TYPES.some((type) => type === mimeType);
}

/** A file that claims to be such a picture, and is none or a damaged one, has no type. */
function notShown(mimeType: string): string {
  return isShown(mimeType) ? "application/octet-stream" : mimeType;
}

/** Platforms name documents, and no pictures. */
function defaultName({ kind }: MediaReference, mimeType: string): string {
  const ending = /^image\/(?<type>png|jpeg|gif|webp)$/u.exec(mimeType)?.groups?.["type"];
  const name = kind === "image" ? "picture" : "file";
  return ending === undefined ? name : `${name}.${ending.replace("jpeg", "jpg")}`;
}
