import type { Socket } from "#src/http/socket.ts";
import { chatSocket } from "./chat.ts";
import { commandLineSocket } from "./command-line.ts";
import { conversationInPathSocket } from "./conversation-in-path.ts";
import { conversationSocket } from "./conversation.ts";
import { logSocket } from "./logs.ts";
import { taskSocket } from "./tasks.ts";
import { terminalSocket } from "./terminal.ts";

/** Every address for WebSockets but those of previews. */
export const sockets: readonly Socket[] = [
  terminalSocket,
  logSocket,
  chatSocket,
  conversationSocket,
  conversationInPathSocket,
  taskSocket,
  commandLineSocket,
];
