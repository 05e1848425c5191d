import { z } from "zod";
import { storeUpload } from "#src/domain/agent-work/attachments/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { formFile } from "#src/http/multipart.ts";
import { ChatParams } from "../chat.ts";

export const uploadAttachment = endpoint({
  operationId: "uploadAttachment",
  method: "post",
  path: "/api/chats/:chat/attachments",
  tag: "Chat",
  summary: "Upload an attachment",
  description:
    "As `file` of a multipart form, at most 25 MiB. Send it with a message within a day. The file is stored in the project.",
  access: { userOrKey: "chat.send" },
  params: ChatParams,
  bodyLimit: null,
  refusals: [400, 409, 413, 503],
  response: {
    status: 200,
    schema: z.object({
      attachment_id: z.string(),
      file_path: z.string(),
      filename: z.string(),
      mime_type: z.string(),
      size_bytes: z.int(),
      sha256: z.string(),
    }),
  },
  async handler({ services, caller, params, request }) {
    const row = await storeUpload(services, caller, params.chat, () => formFile(request, "file"));
    return {
      attachment_id: row.id,
      file_path: row.filePath,
      filename: row.filename,
      mime_type: row.mimeType,
      size_bytes: row.sizeBytes,
      sha256: row.sha256,
    };
  },
});
