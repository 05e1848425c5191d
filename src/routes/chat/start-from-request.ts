import { imagePart } from "#src/agent/user-message.ts";
import type { Caller } from "#src/domain/access/index.ts";
import { attachmentsById, storeFile, type ChatAttachment } from "#src/domain/attachments/index.ts";
import { chatFor, sendMessage, type Chat } from "#src/domain/chats/index.ts";
import { normalizePath } from "#src/domain/files/index.ts";
import type { StartedTask } from "#src/domain/tasks/index.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Services } from "#src/services.ts";
import type { AgentChatRequest, AttachmentWish } from "./agent-request.ts";

/** An attachment as it is stored with its message. */
interface Attached {
  type: AttachmentWish["type"];
  attachment_id: string | null;
  file_path: string;
  mime_type: string | null;
  label: string | null;
  size_bytes: number | null;
}

/** Start what a client of the rich streams asks for; what it sends along is stored first. */
export async function startFromRequest(
  services: Services,
  caller: Caller,
  body: AgentChatRequest,
): Promise<StartedTask> {
  const place = { project: body.project_id ?? undefined, chatId: body.chat_id ?? undefined };
  const wishes = body.attachments ?? [];
  const chat = wishes.length > 0 ? await chatFor(services, caller, place) : undefined;
  const attachments = chat ? await store(services, caller, chat, wishes) : [];
  const metadata = {
    ...(attachments.length > 0 && { attachments }),
    ...(body.mentions?.length && { mentions: body.mentions }),
    ...(body.view_context && { view_context: body.view_context }),
  };
  return sendMessage(services, caller, {
    ...(chat ? { project: chat.projectId, chatId: chat.id } : place),
    message: body.message,
    agentId: body.agent_id ?? undefined,
    model: body.model ?? undefined,
    editMode: body.edit_mode ?? undefined,
    maxIterations: body.max_iterations || undefined,
    attachmentIds: [...new Set(attachments.flatMap((each) => each.attachment_id ?? []))],
    messageMetadata: Object.keys(metadata).length > 0 ? metadata : null,
  });
}

/** One after the other: each is in memory while it is written. All are looked at before the first one is. */
async function store(
  services: Services,
  caller: Caller,
  chat: Chat,
  wishes: readonly AttachmentWish[],
): Promise<Attached[]> {
  const ids = wishes.flatMap(({ attachment_id }) => attachment_id ?? []);
  const rows = ids.length > 0 ? await attachmentsById(services.db, chat.id, ids) : [];
  const uploads = new Map(rows.map((row) => [row.id, row]));
  const writes = wishes.map((wish) => prepare(wish, uploads));
  const attached: Attached[] = [];
  for (const write of writes)
    attached.push(await write((upload) => storeFile(services, caller, chat, upload)));
  return attached;
}

type Write = (upload: Parameters<typeof storeFile>[3]) => Promise<ChatAttachment>;

function prepare(
  wish: AttachmentWish,
  uploads: ReadonlyMap<string, ChatAttachment>,
): (write: Write) => Promise<Attached> {
  const { type, content, attachment_id: id, file_path: path, mime_type: mimeType = null } = wish;
  const label = wish.label ?? null;
  if (id) {
    const row = uploads.get(id);
    if (!row || row.messageId !== null) throw new AppError("not_found", "Attachment not found");
    return async () => attachedOf(row, type, label);
  }
  if (content) {
    const upload = contentOf(wish, content);
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

function contentOf({ type, label, mime_type: mimeType }: AttachmentWish, content: string) {
  if (type !== "image") {
    const bytes = new TextEncoder().encode(content);
    return { filename: label ?? "pasted.txt", mimeType: mimeType ?? "text/plain", bytes };
  }
  const image = imagePart(content, mimeType);
  if (image.type !== "image") throw new AppError("invalid_input", "The content is no picture");
  const extension = image.mimeType.replace("image/", "").replace("jpeg", "jpg");
  return {
    filename: label ?? `image.${extension}`,
    mimeType: image.mimeType,
    bytes: Uint8Array.from(Buffer.from(image.base64, "base64")),
  };
}

function attachedOf(row: ChatAttachment, type: Attached["type"], label: string | null): Attached {
  return {
    type,
    attachment_id: row.id,
    file_path: row.filePath,
    mime_type: row.mimeType,
    label: label ?? row.filename,
    size_bytes: row.sizeBytes,
  };
}
