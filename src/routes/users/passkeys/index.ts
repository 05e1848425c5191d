import type { Endpoint } from "#src/http/endpoint.ts";
import { addMyPasskey } from "./add.ts";
import { beginMyPasskey } from "./begin.ts";
import { listMyPasskeys } from "./list.ts";
import { removeMyPasskey } from "./remove.ts";
import { renameMyPasskey } from "./rename.ts";

export const passkeyEndpoints: readonly Endpoint[] = [
  listMyPasskeys,
  beginMyPasskey,
  addMyPasskey,
  renameMyPasskey,
  removeMyPasskey,
];
