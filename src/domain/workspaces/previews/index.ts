export { openPreview, type PreviewAddress, type Visitor } from "./open-preview.ts";
export type { Preview } from "./queries.ts";
export { staticFile } from "./static-file.ts";
