import { requireKeyScope, type Caller } from "#src/domain/access/permissions/index.ts";
import {
  chatFor,
  sendMessage,
  sentBefore,
  type Chat,
  type ChatInput,
  type SendDeps,
  type SentMessage,
} from "#src/domain/agent-work/chats/index.ts";
import { normalizePath } from "#src/domain/workspaces/files/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { attachedOf, type Attached } from "./attached.ts";
import type { Attachment } from "./attachment.ts";
import { attachmentsById, type ChatAttachment } from "./queries.ts";
import { sentPicture } from "./sent-picture.ts";
import { storeFile } from "./store-upload.ts";

/** An attachment of a message: its own content, a file of the project, or an upload of the chat. */
export interface AttachmentInput extends Attachment {
  attachment_id?: string | null | undefined;
}

type UploadDeps = Parameters<typeof storeFile>[0];

/**
 * Sends a message after storing its attachments. A message that repeats an idempotency key stores nothing. Throws as
 * `sendMessage` and `storeFile` do, `not_found` for an upload that does not exist or was sent before, `invalid_input` for a
 * picture that is not an image, and `forbidden` for a file of the project where the caller is a key without `file.read`.
 */
export async function sendWithAttachments(
  deps: SendDeps & UploadDeps,
  caller: Caller,
  { attachments: inputs, ...fields }: ChatInput & { attachments: readonly AttachmentInput[] },
): Promise<SentMessage> {
  const input = { ...fields, request: requestOf(fields, inputs) };
  if (inputs.length === 0) return sendMessage(deps, caller, input);
  const repeated = await sentBefore(deps, caller, input);
  if (repeated) return repeated;
  try {
    return await sendAttached(deps, caller, input, inputs);
  } catch (error) {
    // A repetition at the same time may have sent the message, and its uploads with it.
    const sent = await sentBefore(deps, caller, input);
    if (sent) return sent;
    throw error;
  }
}

async function sendAttached(
  deps: SendDeps & UploadDeps,
  caller: Caller,
  input: ChatInput,
  inputs: readonly AttachmentInput[],
): Promise<SentMessage> {
  const chat = await chatFor(deps, caller, input);
  const attachments = await store(deps, caller, chat, inputs);
  return sendMessage(deps, caller, {
    ...input,
    project: chat.projectId,
    chatId: chat.id,
    attachmentIds: [...new Set(attachments.flatMap((each) => each.attachment_id ?? []))],
    messageMetadata: { attachments, ...input.messageMetadata },
  });
}

/**
 * Stores the attachments one after the other, because each is in memory while it is written. All are checked before the
 * first one is stored.
 */
async function store(
  deps: UploadDeps,
  caller: Caller,
  chat: Chat,
  inputs: readonly AttachmentInput[],
): Promise<Attached[]> {
  const ids = inputs.flatMap(({ attachment_id }) => attachment_id ?? []);
  const rows = ids.length > 0 ? await attachmentsById(deps.db, chat.id, ids) : [];
  const uploads = new Map(rows.map((row) => [row.id, row]));
  const writes = inputs.map((input) => prepare(input, uploads));
  // An attachment without upload and content is a file of the project, which the model will read.
  const readsFiles = inputs.some(({ attachment_id, content }) => !attachment_id && !content);
  if (readsFiles && caller.kind === "key") requireKeyScope(caller, "file.read");
  const attached: Attached[] = [];
  for (const write of writes) attached.push(await write((upload) => storeFile(deps, caller, chat, upload)));
  return attached;
}

/** What a repetition has to repeat. Contents are large, and only compared. Undefined without an idempotency key. */
function requestOf(input: ChatInput, inputs: readonly AttachmentInput[]): string | undefined {
  if (input.idempotencyKey === undefined) return undefined;
  const { project, chatId, message, agentId, model, editMode, maxIterations } = input;
  const attached = inputs.map((each) => ({ ...each, content: each.content && sha256Hex(each.content) }));
  return JSON.stringify([project, chatId, message, agentId, model, editMode, maxIterations, attached]);
}

type Write = (upload: Parameters<typeof storeFile>[3]) => Promise<ChatAttachment>;

function prepare(
  input: AttachmentInput,
  uploads: ReadonlyMap<string, ChatAttachment>,
): (write: Write) => Promise<Attached> {
  const { type, content, attachment_id: id, file_path: path, mime_type: mimeType = null } = input;
  const label = input.label ?? null;
  if (id) {
    const row = uploads.get(id);
    if (!row || row.messageId !== null) throw new AppError("not_found", "Attachment not found");
    return async () => attachedOf(row, type, label);
  }
  if (content) {
    const upload = contentOf(input, content);
    return async (write) =>
      attachedOf(await write({ ...upload, body: new Blob([upload.bytes]).stream() }), type, label);
  }
  const file = normalizePath(path ?? "");
  return async () => ({
    type,
    attachment_id: null,
    file_path: file,
    mime_type: mimeType,
    label,
    size_bytes: null,
  });
}

function contentOf({ type, label, mime_type: mimeType }: AttachmentInput, content: string) {
  if (type !== "image") {
    const bytes = new TextEncoder().encode(content);
    return { filename: label ?? "pasted.txt", mimeType: mimeType ?? "text/plain", bytes };
  }
  const picture = sentPicture(content);
  const extension = picture.mimeType.replace("image/", "").replace("jpeg", "jpg");
  return { filename: label ?? `image.${extension}`, ...picture };
}
