export { deleteBase, sweepBases } from "./delete-base.ts";
export { listBases, requireBase, requireUsableBase } from "./find-base.ts";
export { makeBase } from "./make-base.ts";
export type { Base } from "./queries.ts";
export { storeGitBase } from "./store-git-base.ts";
export type { BaseInput } from "./store-base.ts";
export { unpackBase } from "./unpack-base.ts";
export { MAX_UPLOAD_BYTES, uploadBase } from "./upload-base.ts";
