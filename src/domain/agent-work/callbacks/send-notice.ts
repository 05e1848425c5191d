import { callbackReceiver } from "./queries.ts";
import { signedHeaders, post, type SignDeps } from "./signed-post.ts";

/**
 * Sends a message of a running task's agent to the task's `webhook_url`, signed as its callback. Returns undefined for a
 * task without one, and else whether the receiver took it; there is one attempt.
 */
export async function sendNotice(
  deps: SignDeps,
  { taskId, callId, text }: { taskId: string; callId: string; text: string },
): Promise<{ delivered: boolean; error: string | null } | undefined> {
  const found = await callbackReceiver(deps.db, taskId);
  if (!found?.webhookUrl) return undefined;
  const body = JSON.stringify({
    type: "agent_notification",
    message: text,
    task_id: taskId,
    timestamp: new Date().toISOString(),
  });
  const headers = await signedHeaders(deps, `task_${taskId}_${callId}`, body, found);
  return post(deps.safeFetch, found.webhookUrl, headers, body);
}
