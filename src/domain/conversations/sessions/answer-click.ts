import type { ReceivedClick } from "#src/channels/channel.ts";
import {
  PEOPLE_ANSWER,
  type AnswerDeps,
  type ApprovalResponse,
} from "#src/domain/agent-work/approvals/index.ts";
import type { FinishDeps } from "#src/domain/agent-work/tasks/index.ts";
import type { Channel } from "#src/domain/messaging/channels/index.ts";
import type { Caller, UserCaller } from "#src/domain/access/permissions/index.ts";
import { channelApi, type ApiDeps } from "#src/domain/messaging/channels/index.ts";
import type { Log } from "#src/platform/log/log.ts";
import { answerAsked } from "./answer-asked.ts";
import { confirmClick } from "./confirm-click.ts";
import { isResponse, RESPONSE_WORDS } from "./response-words.ts";

export type ClickDeps = ApiDeps & FinishDeps & AnswerDeps & { log: Log };

/** What a click led to. */
interface Outcome {
  text: string;
  /** Whether the question is answered, by this click or before it: its buttons stay for others when it is not. */
  isAnswered: boolean;
}

const FOREIGN: Outcome = { text: "Approval not found", isAnswered: false };

/**
 * Answers an approval by its button, as the person who pressed it: that person's own rights decide. Only what was asked in
 * this very channel is answered there, and by people alone: the key of a terminal cannot.
 */
export async function answerClick(
  deps: ClickDeps,
  channel: Channel,
  click: ReceivedClick,
  caller: Caller,
): Promise<void> {
  const [kind, approvalId = "", choice = ""] = click.data.split(":");
  if (kind !== "approve" || !isResponse(choice)) return;
  const { text, isAnswered } =
    caller.kind === "key"
      ? { text: PEOPLE_ANSWER, isAnswered: false }
      : await outcomeOf(deps, channel, caller, { approvalId, response: choice });
  await confirmClick(deps, channel, click, text);
  if (isAnswered) await showOutcome(deps, channel, click, text);
}

async function outcomeOf(
  deps: ClickDeps,
  channel: Channel,
  caller: UserCaller,
  { approvalId, response }: { approvalId: string; response: ApprovalResponse },
): Promise<Outcome> {
  const answered = await answerAsked(deps, channel, caller, {
    approvalIds: [approvalId],
    answerTo: () => ({ response }),
  });
  if (!answered) return FOREIGN;
  const { refusal } = answered;
  if (refusal) return { text: refusal.message, isAnswered: refusal.code === "conflict" };
  return { text: `${RESPONSE_WORDS[response]}.`, isAnswered: true };
}

/** Puts the outcome in place of the question and its buttons. */
async function showOutcome(
  deps: ClickDeps,
  channel: Channel,
  { place, messageId }: ReceivedClick,
  text: string,
): Promise<void> {
  try {
    const api = await channelApi(deps, channel);
    await api.edit?.({ place, messageId, text: { markup: text, plain: text } });
  } catch (cause) {
    deps.log.warn("the outcome of an approval could not be shown", { channel_id: channel.id, cause });
  }
}
