import path from "node:path";
import { buildWorkspaceServer } from "#workspace-server/build.ts";

/** Makes the part of the image that is ours: `node sandbox/build.ts`. */
await buildWorkspaceServer(path.join(import.meta.dirname, "build/workspace-server.mjs"));
