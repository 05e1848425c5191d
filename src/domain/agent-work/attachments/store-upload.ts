import type { Caller } from "#src/domain/access/permissions/index.ts";
import { requireChat, UPLOADS_FOLDER, type Chat } from "#src/domain/agent-work/chats/index.ts";
import type { CeilingConfig } from "#src/domain/operations/ceilings/index.ts";
import { withWritableRuntime } from "#src/domain/workspaces/lifecycle/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { newId } from "#src/lib/ids.ts";
import { insertAttachment, type ChatAttachment } from "./queries.ts";
import { storedName, storedType } from "./stored-name.ts";

/** Largest upload, in bytes: 25 MiB. */
const MAX_UPLOAD_BYTES = 26_214_400;

export interface Upload {
  /** Id of the attachment, for a caller that may repeat the call. */
  id?: string;
  filename: string;
  mimeType: string;
  body: ReadableStream<Uint8Array>;
}

type Deps = Parameters<typeof withWritableRuntime>[0] & { config: CeilingConfig<"unsent_attachments"> };

/**
 * Stores a file of one of the caller's chats, to be sent with a message within a day. Calls `begin` once the upload is
 * permitted. Throws as `requireChat` and `storeFile` do.
 */
export async function storeUpload(
  deps: Deps,
  caller: Caller,
  chatId: string,
  begin: () => Promise<Upload>,
): Promise<ChatAttachment> {
  const chat = await requireChat(deps, caller, chatId, "chat.send");
  return storeFile(deps, caller, chat, await begin());
}

/**
 * Streams a file into the chat's project. Its final name begins with its hash, which is known only at the end. Throws
 * `too_large` above 25 MiB and `conflict` for a project that has no files, both with a `code`, and as `withRuntime`
 * does.
 */
export async function storeFile(
  deps: Deps,
  caller: Caller,
  chat: Pick<Chat, "id" | "projectId">,
  { id = newId(), filename, mimeType, body }: Upload,
): Promise<ChatAttachment> {
  const directory = `${UPLOADS_FOLDER}/${chat.id}/uploads`;
  const name = storedName(filename);
  const access = { caller, project: chat.projectId, scope: "chat.send" } as const;
  const stored = await withWritableRuntime(deps, access, async (runtime) => {
    const coming = `${directory}/.coming-${newId()}`;
    const { hashed, digest } = hashing(body);
    const { size } = await runtime.writeStream(coming, hashed, MAX_UPLOAD_BYTES);
    const sha256 = await digest;
    const filePath = `${directory}/${sha256}-${name}`;
    try {
      await runtime.rename(coming, filePath);
    } catch (error) {
      // The same file already exists.
      await runtime.remove(coming, { recursive: false });
      if (!(error instanceof AppError) || error.code !== "conflict") throw error;
    }
    return { filePath, size, sha256 };
  }).catch((error: unknown) => {
    throw withCode(error);
  });
  return insertAttachment(deps, {
    id,
    chatId: chat.id,
    userId: caller.userId,
    filePath: stored.filePath,
    filename: name,
    mimeType: storedType(mimeType),
    sizeBytes: stored.size,
    sha256: stored.sha256,
  });
}

function withCode(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const { message, code, cause, retryAfterSeconds } = error;
  if (code === "too_large") {
    const extra = { code: "file_too_large", max_bytes: MAX_UPLOAD_BYTES };
    return new AppError(code, `A file has at most ${MAX_UPLOAD_BYTES} bytes`, { cause, extra });
  }
  if (code === "conflict")
    return new AppError(code, message, { cause, retryAfterSeconds, extra: { code: "no_workspace" } });
  return error;
}

/** Passes the content through and hashes it. */
function hashing(body: ReadableStream<Uint8Array>) {
  const { writable, digest } = digesting();
  const writer = writable.getWriter();
  const hashed = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      async transform(chunk, controller) {
        await writer.write(chunk);
        controller.enqueue(chunk);
      },
      flush: () => writer.close(),
    }),
  );
  // If the upload breaks off, nothing awaits the hash; this prevents an unhandled rejection.
  digest.catch(() => {});
  return { hashed, digest };
}

function digesting() {
  const writable = new crypto.DigestStream("SHA-256");
  const digest = writable.digest.then((bytes) => Buffer.from(bytes).toString("hex"));
  return { writable, digest };
}
