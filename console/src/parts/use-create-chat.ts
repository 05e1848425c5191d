import { WorkspaceError } from "@agent-workspace/client";
import { keys, stale } from "../service/reads.ts";
import { workspace } from "../service/workspace.ts";
import { useAction, type Action } from "./use-action.ts";
import { useLeadOn } from "./use-lead-on.ts";

/** Makes a chat in a project and leads there; `refused` is told why it could not. */
export function useCreateChat(
  refused?: (sentence: string) => void,
): Action<[project: { id: string; slug: string }]> {
  const leadOn = useLeadOn();
  return useAction(async ({ id, slug }: { id: string; slug: string }) => {
    try {
      const chat = await workspace.chats.create({ project_id: id });
      stale(keys.sidebar);
      leadOn(`/projects/${slug}/chats/${chat.id}`);
    } catch (error) {
      refused?.(error instanceof WorkspaceError ? error.detail : "The chat could not be created.");
      throw error;
    }
  });
}
