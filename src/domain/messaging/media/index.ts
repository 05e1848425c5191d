export { sweepMedia } from "./cache.ts";
export { readMedia, type MediaDeps, type ReadMessage } from "./read-media.ts";
