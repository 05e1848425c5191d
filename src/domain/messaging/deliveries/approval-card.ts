import type { Button } from "#src/channels/channel.ts";
import { headOf } from "#src/lib/head-of.ts";
import { visible, visibleLine } from "#src/lib/visible.ts";
import type { OutboxDeps } from "./deliver-message.ts";
import { askingSession } from "./queries/replies.ts";
import { sendStored } from "./send-stored.ts";

/** The beginning of a call that a person reads in a chat; the whole of it is in the browser. */
const SHOWN_CHARS = 1_200;

/** Asks where the message of a task came from for what the task waits for. Idempotent. */
export async function sendApprovalCards(deps: OutboxDeps, taskId: string): Promise<void> {
  const asking = await askingSession(deps.db, taskId);
  if (!asking) return;
  const { channel, sessionKey, place, person, replyTo, approvals } = asking;
  // A terminal acts by a key, which answers no question.
  const isAnswered = channel.channelType !== "cli";
  for (const { id, tool, parameters } of approvals) {
    await sendStored(deps, {
      channel,
      sessionKey,
      place,
      kind: "approval_card",
      content: questionOf(tool, parameters, isAnswered ? HOW : ELSEWHERE),
      occasion: `approval:${id}`,
      replyTo: replyTo ?? undefined,
      replyTarget: undefined,
      buttons: isAnswered ? buttonsOf(id) : [],
      taskId,
      person,
    });
  }
}

const HOW = "Press a button, or write /approve or /deny.";
const ELSEWHERE = "A person answers it in the browser: an API key cannot.";

/** The question as Markdown: the whole call, or its beginning, with nothing hidden in it. */
export function questionOf(tool: string, parameters: Readonly<Record<string, unknown>>, how = HOW): string {
  const [only, ...others] = Object.values(parameters);
  const call = visible(
    typeof only === "string" && others.length === 0 ? only : JSON.stringify(parameters, undefined, 2),
  );
  const shown = headOf(call, SHOWN_CHARS);
  const cut = shown.length < call.length ? "\n(The call is longer: the whole of it is in the browser.)" : "";
  // A fence that is longer than any in the call.
  const fence = "`".repeat(Math.max(3, ...(shown.match(/`+/gu) ?? []).map((ticks) => ticks.length + 1)));
  return [`May the agent use **${visibleLine(tool)}**?`, `${fence}\n${shown}\n${fence}${cut}`, how].join(
    "\n\n",
  );
}

/** The answers to a question, as buttons, or as words where a platform has none. */
const CHOICES = [
  { label: "Allow once", response: "allow_once", style: "primary" },
  { label: "Allow always here", response: "allow_all", style: undefined },
  { label: "Deny", response: "stop", style: "danger" },
] as const;

function buttonsOf(id: string): Button[] {
  return CHOICES.map(({ label, response, style }) => ({ label, data: `approve:${id}:${response}`, style }));
}

/** The answer that a text is, where buttons are listed as words. */
export function choiceOf(text: string): "allow_once" | "allow_all" | "stop" | undefined {
  const written = text.trim().toLowerCase();
  return CHOICES.find(({ label }) => label.toLowerCase() === written)?.response;
}
