import { stopTasksOfChat } from "#src/domain/agent-work/chats/index.ts";
import type { Channel } from "#src/domain/messaging/channels/index.ts";
import type { Caller } from "#src/domain/access/permissions/index.ts";
import { activeSchedules } from "#src/domain/schedules/definitions/index.ts";
import { describeTiming } from "#src/domain/schedules/expressions/index.ts";
import { visibleLine } from "#src/lib/visible.ts";
import type { Place } from "#src/channels/channel.ts";
import { answerOpen, type OpenAnswerDeps } from "./answer-open.ts";
import { COMMANDS, type CommandName } from "./commands.ts";
import { settleEvents, type Membership } from "./queries/events.ts";
import { archiveChat, describeSession, setHome } from "./queries/sessions.ts";

/** Of whom and where a command is. */
export interface CommandContext {
  channel: Channel;
  /** Who acts: at the command line a key. */
  caller: Caller;
  person: Membership;
  place: Place;
  /** What stands behind the command's name. */
  argument: string;
  /** Events of messages that wait for the end of the task. */
  waiting: readonly string[];
}

/** Runs a command and returns what the person is told. Idempotent but for its words. */
export async function runCommand(
  deps: OpenAnswerDeps,
  name: CommandName,
  context: CommandContext,
): Promise<string> {
  return RUN[name](deps, context);
}

type Run = (deps: OpenAnswerDeps, context: CommandContext) => Promise<string> | string;

const RUN: Readonly<Record<CommandName, Run>> = {
  pair: () => "You are linked already. Write what the agent should do, or /help.",
  help: () =>
    Object.entries(COMMANDS)
      .map(([name, text]) => `/${name} – ${text}`)
      .join("\n"),
  new: async (deps, { person: { sessionId, chatId } }) => {
    if (sessionId !== null && chatId !== null) await archiveChat(deps.db, { sessionId, chatId });
    return "A new conversation: your next message begins it.";
  },
  stop: async (deps, { person: { chatId }, waiting }) => {
    await settleEvents(deps.db, waiting);
    const hadTask = chatId !== null && (await stopTasksOfChat(deps, { id: chatId }));
    const forgotten = waiting.length === 0 ? "" : ` ${count(waiting.length)} forgotten.`;
    return hadTask ? `Stopped.${forgotten}` : `Nothing was running.${forgotten}`;
  },
  status: async (deps, { caller, person: { chatId, startedAt }, waiting }) => {
    const found = await describeSession(deps.db, { userId: caller.userId, chatId });
    const state = found?.tool
      ? found.server === null
        ? `Needs your input: ${visibleLine(found.tool)}. Answer with /approve or /deny.`
        : `Needs your input for the MCP server ${visibleLine(found.server)}. Answer with /answer, /approve or /deny.`
      : found?.task
        ? "The agent is at work."
        : "The agent is idle.";
    return [
      state,
      `Project: ${found?.project ?? "none yet"}`,
      `Agent: ${found?.agent ?? "the default one"}`,
      `Waiting: ${count(waiting.length)}`,
      `Conversation: ${startedAt === null ? "none yet" : `since ${momentOf(new Date(startedAt))}`}`,
    ].join("\n");
  },
  whoami: async (deps, { caller, person: { channelOf } }) => {
    if (caller.kind === "key") return "You write with an API key, with its permissions.";
    // The owner of somebody else's bot need not learn whom its people are here.
    if (channelOf === "other") return "You are linked to an account of this service.";
    const found = await describeSession(deps.db, { userId: caller.userId, chatId: null });
    return `You are linked to the account ${found?.email ?? "of this service"}.`;
  },
  sethome: async (deps, { channel, place, person: { userId, identityId, channelOf } }) => {
    if (identityId === null) return "The command line cannot be a home.";
    if (channelOf === "other") return NOT_THROUGH_OTHERS;
    await setHome(deps.db, { userId, identityId }, { channelId: channel.id, place });
    return channelOf === "self"
      ? "This chat is now your home: what the agent sends you unasked comes here."
      : "This chat is now your home for what is about this project: what the agent sends you unasked comes here.";
  },
  schedules: async (deps, { channel, caller, person: { channelOf } }) => {
    if (channelOf === "other") return NOT_THROUGH_OTHERS;
    const channelId = channelOf === "team" ? channel.id : undefined;
    const ofKey = caller.kind === "key" ? caller.projectIds : null;
    const projectIds = channelOf === "team" && channel.projectId !== null ? [channel.projectId] : ofKey;
    const active = await activeSchedules(deps.db, caller.userId, { limit: LISTED, channelId, projectIds });
    if (active.length === 0) return "You have no active schedules. Tell the agent what to do, and when.";
    return active
      .map(({ name, timing, timezone, nextRunAt }) => {
        const next = nextRunAt === null ? "" : `; next ${momentOf(nextRunAt)}`;
        return `${visibleLine(name)}: ${describeTiming(timing, timezone)}${next}`;
      })
      .join("\n");
  },
  approve: (deps, context) => answerOpen(deps, context, { response: "allow_once" }),
  deny: (deps, context) => answerOpen(deps, context, { response: "stop" }),
  answer: (deps, context) => answerOpen(deps, context, { form: context.argument }),
};

const NOT_THROUGH_OTHERS =
  "This is not possible through a bot of somebody else. Use a bot of your own or of your team, or the browser.";

/** Schedules that one message names. */
const LISTED = 50;

const momentOf = (date: Date) => `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;

const count = (messages: number) => (messages === 1 ? "1 message" : `${messages} messages`);
