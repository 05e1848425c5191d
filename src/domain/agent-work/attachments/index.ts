export { attachedOf, type Attached } from "./attached.ts";
export { deleteUpload } from "./delete-upload.ts";
export type { ChatAttachment } from "./queries.ts";
export { attachmentsById } from "./queries.ts";
export { storeFile, storeUpload } from "./store-upload.ts";
export { sweepUploads } from "./sweep-uploads.ts";
