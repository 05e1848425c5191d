import {
  contentOfText,
  howToFillIn,
  openApprovals,
  PEOPLE_ANSWER,
  type Answer,
  type AnswerDeps,
  type ApprovalResponse,
} from "#src/domain/agent-work/approvals/index.ts";
import type { FinishDeps } from "#src/domain/agent-work/tasks/index.ts";
import type { Channel } from "#src/domain/messaging/channels/index.ts";
import { markOf, takesDone } from "#src/domain/messaging/deliveries/index.ts";
import type { Caller } from "#src/domain/access/permissions/index.ts";
import { chatUrl, type ConsoleConfig } from "#src/lib/console-url.ts";
import { AppError } from "#src/lib/errors.ts";
import { visibleLine } from "#src/lib/visible.ts";
import type { AskedInput } from "#src/wire/asked-input.ts";
import { answerAsked } from "./answer-asked.ts";
import type { Membership } from "./queries/events.ts";
import { RESPONSE_WORDS } from "./response-words.ts";

interface Context {
  channel: Channel;
  /** At the command line a key, which answers nothing. */
  caller: Caller;
  person: Membership;
}

/** A general word for what is open, or the text that fills in a form. */
type Given = { response: ApprovalResponse } | { form: string };

export type OpenAnswerDeps = FinishDeps & AnswerDeps & { config: ConsoleConfig };

/**
 * Answers the oldest question of the session's chat that was asked here, or its only form: with several, a text could go to another
 * server than the one that is meant. Returns what the person is told.
 */
export async function answerOpen(
  deps: OpenAnswerDeps,
  { channel, caller, person: { chatId, projectId } }: Context,
  given: Given,
): Promise<string> {
  if (caller.kind === "key") return `${PEOPLE_ANSWER}. Answer it in the browser.`;
  const nothing = "form" in given ? "No form waits for your answer." : "Nothing needs your input.";
  if (chatId === null || projectId === null) return nothing;
  const link = chatUrl(deps.config, { projectId, chatId });
  const all = await openApprovals(deps.db, { chatId });
  const open = all.filter(({ approval }) => !("form" in given) || approval.asked?.mode === "form");
  const find = (id: string) => open.find(({ approval }) => approval.id === id)?.approval;
  const answered = await answerAsked(deps, channel, caller, {
    approvalIds: open.map(({ approval }) => approval.id),
    answerTo: (id) => {
      if ("form" in given && open.length > 1) {
        throw new AppError("conflict", severalForms(open, link));
      }
      return meaningOf(given, find(id)?.asked ?? null, markOf(channel));
    },
  });
  if (!answered) return nothing;
  const { approvalId, response, refusal } = answered;
  if (refusal || !response) return refusal ? told(refusal, given) : "";
  const approval = find(approvalId);
  return `${RESPONSE_WORDS[response]}: ${visibleLine(approval?.asked?.server ?? approval?.tool ?? "")}.`;
}

function severalForms(open: Awaited<ReturnType<typeof openApprovals>>, link: string): string {
  const servers = new Set(open.map(({ approval }) => visibleLine(approval.asked?.server ?? "")));
  return `${open.length} forms wait for an answer (${[...servers].join(", ")}). Nothing was sent: answer each in the browser: ${link}`;
}

/** A refusal as the person is told it. The label of a field in it is foreign text, whose markup would be obeyed: it is shown as code. */
function told({ code, message }: AppError, given: Given): string {
  if (!("form" in given) || code !== "invalid_input") return message;
  const safe = message.replace(
    /"(.*)"/su,
    (_, label: string) => `"\`${visibleLine(label.replaceAll("`", ""))}\`"`,
  );
  return `${safe.replace(/\.$/u, "")}. Nothing was sent: answer again.`;
}

/** What is given means for the question that is open. Throws `invalid_input`, which says how it is answered. */
function meaningOf(given: Given, asked: AskedInput | null, mark: string): Omit<Answer, "approvalId"> {
  if ("form" in given) {
    const read = asked ? contentOfText(asked, given.form, mark) : { content: {} };
    if ("problem" in read) throw new AppError("invalid_input", read.problem);
    return { response: "accept", content: read.content };
  }
  const { response } = given;
  if (asked === null) {
    if (response === "accept")
      throw new AppError("invalid_input", "Answer with Allow once, Allow tool in chat or Deny.");
    return { response: response === "decline" ? "stop" : response };
  }
  if (response === "stop" || response === "decline") return { response: "decline" };
  if (takesDone(asked) && response !== "allow_all") return { response: "accept" };
  throw new AppError(
    "invalid_input",
    takesDone(asked) ? "Answer with Done or Decline." : `${howToFillIn(asked, mark)} Or write Decline.`,
  );
}
