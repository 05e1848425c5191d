import { z } from "zod";
import { defineTool } from "../tool.ts";

export const shellClose = defineTool({
  name: "shell_close",
  description: "Close a shell that shell_open opened, and end what runs in it. Closing it twice is harmless.",
  parameters: z.object({ session_id: z.string().min(1).describe("The shell, as shell_open named it") }),
  effect: "other",
  scope: "terminal.access",
  async run({ session_id: id }, { shells }) {
    await shells.close(id);
    return { success: true, message: "The shell is closed.", session_id: id };
  },
});
