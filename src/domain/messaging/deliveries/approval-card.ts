import type { Button } from "#src/channels/channel.ts";
import { formLines, howToFillIn, type ApprovalResponse } from "#src/domain/agent-work/approvals/index.ts";
import type { AskedInput } from "#src/wire/asked-input.ts";
import { chatUrl, type ConsoleConfig } from "#src/lib/console-url.ts";
import { headOf } from "#src/lib/head-of.ts";
import { visible, visibleLine } from "#src/lib/visible.ts";
import type { OutboxDeps } from "./deliver-message.ts";
import { askingSession } from "./queries/replies.ts";
import { sendStored } from "./send-stored.ts";

/** The beginning of a call that a person reads in a chat; the whole of it is in the browser. */
const SHOWN_CHARS = 1_200;

/** Asks where the message of a task came from for what the task waits for. Idempotent. */
export async function sendApprovalCards(
  deps: OutboxDeps & { config: ConsoleConfig },
  taskId: string,
): Promise<void> {
  const asking = await askingSession(deps.db, taskId);
  if (!asking) return;
  const { channel, sessionKey, place, person, replyTo, chat, approvals } = asking;
  // A terminal acts by a key, which answers no question.
  const isAnswered = channel.channelType !== "cli";
  const link = chatUrl(deps.config, { projectId: chat.projectId, chatId: chat.id });
  const mark = markOf(channel);
  for (const { id, tool, parameters, asked } of approvals) {
    await sendStored(deps, {
      channel,
      sessionKey,
      place,
      kind: "approval_card",
      content: asked
        ? inputQuestionOf(asked, isAnswered ? { mark, link } : undefined)
        : questionOf(tool, parameters, isAnswered ? HOW : ELSEWHERE),
      occasion: `approval:${id}`,
      replyTo: replyTo ?? undefined,
      replyTarget: undefined,
      buttons: isAnswered ? buttonsOf(id, choicesFor(asked)) : [],
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
  return [`May the agent use **${visibleLine(tool)}**?`, `${fenced(shown)}${cut}`, how].join("\n\n");
}

/** Foreign text in a fence that is longer than any in it. */
function fenced(text: string): string {
  const fence = "`".repeat(Math.max(3, ...(text.match(/`+/gu) ?? []).map((ticks) => ticks.length + 1)));
  return `${fence}\n${text}\n${fence}`;
}

/** The mark of commands in a channel: Slack takes `/` for commands of its own. */
export const markOf = ({ channelType }: { channelType: string }) => (channelType === "slack" ? "!" : "/");

/**
 * What a server asks, as Markdown. A form that is too long for a message is filled in at `link`; an address is shown whole, with its
 * host. Without `answering` nobody answers in the channel.
 */
function inputQuestionOf(asked: AskedInput, answering: { mark: string; link: string } | undefined): string {
  const { server, message, url, host, fields = [] } = asked;
  const words = visible(message);
  const head = headOf(words, SHOWN_CHARS);
  const rest = head.length < words.length ? "\n(The rest of it is in the browser.)" : "";
  const asks = [`The MCP server **${visibleLine(server)}** asks:`, `${fenced(head)}${rest}`];
  if (url !== undefined) {
    const how = answering ? "Press Done once you have done it there, or Decline." : ELSEWHERE;
    return [
      ...asks,
      `It wants you to open an address at **${host ?? ""}**:`,
      fenced(url),
      `Open it only if you trust it. ${how}`,
    ].join("\n\n");
  }
  const lines = formLines(asked);
  const how = !answering
    ? ELSEWHERE
    : fields.length === 0
      ? "Press Done to agree, or Decline."
      : lines === undefined
        ? `The form is too long for a message. Fill it in in the browser, or press Decline: ${answering.link}`
        : `${howToFillIn(asked, answering.mark)} Or press Decline.`;
  const form = lines === undefined || lines === "" ? [] : ["It wants:", fenced(lines)];
  return [...asks, ...form, `${NO_SECRETS} ${how}`].join("\n\n");
}

const NO_SECRETS = "Give no passwords or other secrets.";

/** The answers to what a server asks. */
const DONE = { label: "Done", response: "accept", style: "primary" } as const;
const DECLINE = { label: "Decline", response: "decline", style: "danger" } as const;

const choicesFor = (asked: AskedInput | null) =>
  asked === null ? CHOICES : takesDone(asked) ? [DONE, DECLINE] : [DECLINE];

/** Whether a question is accepted without any answers. */
export const takesDone = ({ mode, fields = [] }: AskedInput) => mode === "url" || fields.length === 0;

/** The answers to a question, as buttons, or as words where a platform has none. */
const CHOICES = [
  { label: "Allow once", response: "allow_once", style: "primary" },
  { label: "Allow tool in chat", response: "allow_all", style: undefined },
  { label: "Deny", response: "stop", style: "danger" },
] as const;

function buttonsOf(id: string, choices: ReturnType<typeof choicesFor>): Button[] {
  return choices.map(({ label, response, style }) => ({ label, data: `approve:${id}:${response}`, style }));
}

/** The answer that a text is, where buttons are listed as words. */
export function choiceOf(text: string): ApprovalResponse | undefined {
  const written = text.trim().toLowerCase();
  return [...CHOICES, DONE, DECLINE].find(({ label }) => label.toLowerCase() === written)?.response;
}
