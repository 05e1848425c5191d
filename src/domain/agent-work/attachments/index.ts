export { attachedOf, type Attached } from "./attached.ts";
export { attachmentsOf, type Attachment } from "./attachment.ts";
export { deleteUpload } from "./delete-upload.ts";
export type { ChatAttachment } from "./queries.ts";
export { attachmentsById } from "./queries.ts";
export { sendWithAttachments, type AttachmentInput } from "./send-with-attachments.ts";
export { storeFile, storeUpload } from "./store-upload.ts";
export { sweepUploads } from "./sweep-uploads.ts";
