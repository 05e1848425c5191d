import { remembered } from "../service/remembered.ts";

/** The chats that stand first in the sidebar of this browser. */
export const pinned = remembered("sidebar.pinned");
