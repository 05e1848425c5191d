import type { AskedInput } from "../generated/types.gen.ts";
import { fieldsOf, listOf, numberOf, textOf, type Fields } from "../json.ts";
import type { ChatEvent } from "./chat.ts";
import type { Frame } from "./connection.ts";
import type {
  Conversation,
  ConversationTask,
  ConversationTurn,
  ConversationCall,
  ConversationApproval,
} from "./conversation-task.ts";

const EMPTY: Conversation = { tasks: [] };

export function emptyConversation(): Conversation {
  return EMPTY;
}

/** Whether an agent is at work on it. */
export function isRunning({ status }: ConversationTask): boolean {
  return status === "running";
}

/**
 * The conversation after an event. The same function serves live events, replays and the whole log of a task. An event
 * that was taken in before changes nothing, so that a replay may begin anywhere before the last one. Unknown events
 * change nothing but the position.
 */
export function fold(
  conversation: Conversation,
  { taskId, chatId, eventId, event }: ChatEvent,
): Conversation {
  const place = conversation.tasks.findLastIndex((each) => each.taskId === taskId);
  const before = conversation.tasks[place] ?? newTask(taskId, chatId);
  if (eventId > 0 && eventId <= before.lastEventId) return conversation;
  const after = eventId > 0 ? { ...logged(before, event), lastEventId: eventId } : announced(before, event);
  if (after === before) return conversation;
  if (place === -1) return { tasks: [...conversation.tasks, after] };
  return { tasks: conversation.tasks.with(place, after) };
}

function newTask(taskId: string, chatId: string): ConversationTask {
  return {
    taskId,
    chatId,
    lastEventId: 0,
    message: undefined,
    attachments: [],
    status: "queued",
    waiting: undefined,
    turns: [],
    approvals: [],
    plan: undefined,
    creditsUsed: 0,
    creditsLeft: undefined,
    title: undefined,
    error: undefined,
    response: undefined,
  };
}

/** Events that are not in the log: they may come again, or not at all. */
function announced(task: ConversationTask, event: Frame): ConversationTask {
  const content = textOf(event["content"]);
  if (event.type === "user_message" && task.message === undefined) {
    const { attachments, user_id: id, user_name: name } = fieldsOf(event["data"]);
    return {
      ...task,
      message: content,
      author: id ? { id, name } : undefined,
      attachments: listOf(attachments).map(fieldsOf),
    };
  }
  if (event.type === "waiting" && task.status === "queued") return { ...task, waiting: content };
  return task;
}

function logged(before: ConversationTask, event: Frame): ConversationTask {
  const isBegun = before.status !== "queued";
  const task: ConversationTask = isBegun ? before : { ...before, status: "running", waiting: undefined };
  const data = fieldsOf(event["data"]);
  switch (event.type) {
    case "text_delta":
      return spoken(task, textOf(event["content"]) ?? textOf(data["content"]) ?? "");
    case "thinking_delta":
      return thought(task, textOf(event["content"]) ?? textOf(data["content"]) ?? "");
    case "turn_restarted":
      return restarted(task, numberOf(data["iteration"]));
    case "tool_start":
      return called(task, event, data);
    case "tool_progress":
      return progressed(task, data);
    case "tool_result":
    case "tool_call":
      return answered(task, event, data);
    case "agent_step":
      return stepped(task, data);
    case "approval_required":
      return asked(task, event, data);
    case "approval_answered":
      return decided(task, data);
    case "plan_update":
      return { ...task, plan: data };
    case "credits_used":
      return {
        ...task,
        creditsUsed: task.creditsUsed + (numberOf(data["credits_deducted"]) ?? 0),
        creditsLeft: numberOf(data["new_balance"]) ?? task.creditsLeft,
      };
    case "chat_title":
      return { ...task, title: textOf(data["title"]) ?? task.title };
    case "error":
      return { ...task, error: textOf(event["error"]) ?? textOf(event["content"]) ?? "The task failed" };
    case "complete":
      return { ...task, response: textOf(event["response"]) ?? textOf(data["final_response"]) };
    case "done":
      return ended(task, event, data);
    default:
      return task;
  }
}

// ── Turns

/** Changes the turn that goes on; the first event of a turn begins it. */
function inTurn(
  task: ConversationTask,
  iteration: number | undefined,
  change: (turn: ConversationTurn) => ConversationTurn,
): ConversationTask {
  const last = task.turns.at(-1);
  const isGoingOn = last && !last.isComplete;
  const turn = isGoingOn ? last : NEW_TURN;
  const others = isGoingOn ? task.turns.slice(0, -1) : task.turns;
  return { ...task, turns: [...others, change({ ...turn, iteration: iteration ?? turn.iteration })] };
}

const NEW_TURN: ConversationTurn = {
  iteration: undefined,
  text: "",
  thinking: undefined,
  calls: [],
  isComplete: false,
};

function spoken(task: ConversationTask, content: string): ConversationTask {
  return inTurn(task, undefined, (turn) => ({ ...turn, text: turn.text + content }));
}

function thought(task: ConversationTask, content: string): ConversationTask {
  return inTurn(task, undefined, (turn) => ({ ...turn, thinking: (turn.thinking ?? "") + content }));
}

/** Takes back what the unfinished turn has said and called, with the questions about these calls. */
function restarted(task: ConversationTask, iteration: number | undefined): ConversationTask {
  const last = task.turns.at(-1);
  if (!last || last.isComplete) return task;
  const calls = new Set(last.calls.map(({ id }) => id));
  return {
    ...task,
    turns: [...task.turns.slice(0, -1), { ...NEW_TURN, iteration: iteration ?? last.iteration }],
    approvals: task.approvals.filter(({ toolCallId, state }) => state !== "open" || !calls.has(toolCallId)),
  };
}

function called(task: ConversationTask, event: Frame, data: Fields): ConversationTask {
  return withCall(task, data, {
    ...callOf(event, data),
    startedAt: textOf(data["started_at"]) ?? textOf(data["timestamp"]),
  });
}

function answered(task: ConversationTask, event: Frame, data: Fields): ConversationTask {
  const result = fieldsOf(event["result"] ?? data["result"]);
  const call = callOf(event, data);
  const begun = task.turns.at(-1)?.calls.find(({ id }) => id === call.id)?.startedAt;
  const ms = Date.parse(textOf(data["timestamp"]) ?? "") - Date.parse(begun ?? "");
  return withCall(task, data, {
    ...call,
    state: result["success"] === false ? "failed" : "done",
    result,
    startedAt: begun,
    durationMs: numberOf(data["duration_ms"]) ?? (Number.isNaN(ms) ? undefined : ms),
  });
}

/** A call that is over, or was never seen to begin, stays as it is. */
function progressed(task: ConversationTask, data: Fields): ConversationTask {
  const call = task.turns.at(-1)?.calls.find(({ id }) => id === data["id"]);
  if (call?.state !== "running") return task;
  const [message, progress] = [textOf(data["message"]) ?? "", numberOf(data["progress"]) ?? 0];
  return withCall(task, data, { ...call, progress: { message, progress, total: numberOf(data["total"]) } });
}

function callOf(event: Frame, data: Fields): ConversationCall {
  const [iteration, index] = [numberOf(data["iteration"]) ?? 0, numberOf(data["index"]) ?? 0];
  return {
    id: textOf(data["id"]) ?? `${iteration}.${index}`,
    tool: textOf(event["tool"]) ?? textOf(data["name"]) ?? "",
    args: fieldsOf(event["args"] ?? data["parameters"]),
    state: "running",
    result: undefined,
    durationMs: undefined,
    startedAt: undefined,
  };
}

/** Adds a call to the turn, or replaces what was known of it. */
function withCall(task: ConversationTask, data: Fields, call: ConversationCall): ConversationTask {
  return inTurn(task, numberOf(data["iteration"]), (turn) => {
    const place = turn.calls.findIndex(({ id }) => id === call.id);
    return { ...turn, calls: place === -1 ? [...turn.calls, call] : turn.calls.with(place, call) };
  });
}

/** The end of a turn has everything it said. Calls that were not seen before are taken from it. */
function stepped(task: ConversationTask, data: Fields): ConversationTask {
  const iteration = numberOf(data["iteration"]);
  return inTurn(task, iteration, (turn) => ({
    iteration: iteration ?? turn.iteration,
    text: textOf(data["response_text"]) ?? turn.text,
    thinking: textOf(data["thought"]) ?? turn.thinking,
    calls: turn.calls.length > 0 ? turn.calls : callsOfStep(iteration ?? 0, data),
    isComplete: true,
  }));
}

function callsOfStep(iteration: number, data: Fields): ConversationCall[] {
  const results = listOf(data["tool_results"]).map(fieldsOf);
  return listOf(data["tool_calls"]).map((each, index) => {
    const call = fieldsOf(each);
    const outcome = results[index] ?? fieldsOf(call["result"]);
    const base = callOf({ type: "" }, { iteration, index, ...call });
    const result = fieldsOf(outcome["result"] ?? outcome);
    const state = outcome["success"] === false ? "failed" : "done";
    return { ...base, state, result, isCut: call["truncated"] === true };
  });
}

// ── Approvals and the end

function asked(task: ConversationTask, event: Frame, data: Fields): ConversationTask {
  const approval: ConversationApproval = {
    approvalId: textOf(data["approval_id"]) ?? "",
    toolCallId: textOf(data["tool_call_id"]) ?? "",
    tool: textOf(event["tool"]) ?? textOf(data["tool"]) ?? "",
    args: fieldsOf(event["args"] ?? data["parameters"]),
    isCut: data["parameters_shortened"] === true,
    state: "open",
    reason: undefined,
    expiresAt: textOf(data["expires_at"]),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the service sends it
    ...(data["input"] !== undefined && { input: data["input"] as AskedInput }),
  };
  const others = task.approvals.filter(({ approvalId }) => approvalId !== approval.approvalId);
  return { ...task, approvals: [...others, approval] };
}

function decided(task: ConversationTask, data: Fields): ConversationTask {
  const state = data["verdict"] === "allowed" ? "allowed" : "refused";
  const approvals = task.approvals.map((each): ConversationApproval =>
    each.approvalId === data["approval_id"] ? { ...each, state, reason: textOf(data["reason"]) } : each,
  );
  return { ...task, approvals };
}

/** Nothing is open at the end of a task, also of one that was stopped in the middle. */
function ended(task: ConversationTask, event: Frame, data: Fields): ConversationTask {
  const status = textOf(event["status"]) ?? textOf(data["status"]);
  const turns = task.turns.map((turn) => ({
    ...turn,
    isComplete: true,
    calls: turn.calls.map((call) =>
      call.state === "running" ? { ...call, state: "failed" as const } : call,
    ),
  }));
  const approvals = task.approvals.map((each) =>
    each.state === "open" ? { ...each, state: "refused" as const } : each,
  );
  return {
    ...task,
    turns,
    approvals,
    status: status === "failed" || status === "cancelled" ? status : "completed",
    response: textOf(event["response"]) ?? task.response,
    error: textOf(event["error"]) ?? textOf(data["error"]) ?? task.error,
  };
}

// ── History

/**
 * The finished tasks of a chat, from the messages of `GET /api/chat/{project}/messages`, oldest first. A task that goes
 * on is left to its events, which come from the first one on.
 */
export function conversationOf(messages: readonly Fields[]): Conversation {
  let [tasks, asking]: [ConversationTask[], Fields | undefined] = [[], undefined];
  for (const message of messages) {
    if (message["role"] === "user") asking = message;
    const metadata = fieldsOf(message["message_metadata"]);
    const [taskId, reason] = [textOf(metadata["task_id"]), textOf(metadata["completion_reason"])];
    if (message["role"] !== "assistant" || taskId === undefined || reason === "in_progress") continue;
    tasks = [...tasks, finishedTask(taskId, asking, message, metadata)];
    asking = undefined;
  }
  return { tasks };
}

function finishedTask(
  taskId: string,
  asking: Fields | undefined,
  message: Fields,
  metadata: Fields,
): ConversationTask {
  let task: ConversationTask = {
    ...newTask(taskId, textOf(message["chat_id"]) ?? ""),
    message: textOf(asking?.["content"]),
    author: asking && fieldsOf(asking["author"]),
    attachments: listOf(fieldsOf(asking?.["message_metadata"])["attachments"]).map(fieldsOf),
    creditsUsed: numberOf(metadata["credits_used"]) ?? 0,
  };
  for (const step of listOf(metadata["steps"])) task = stepped(task, fieldsOf(step));
  const [error, reason] = [textOf(metadata["error"]), textOf(metadata["completion_reason"])];
  const status = reason === "cancelled" ? "cancelled" : error === undefined ? "completed" : "failed";
  // Nothing follows: each event of the task is a repetition.
  return { ...task, status, error, response: textOf(message["content"]), lastEventId: Infinity };
}
