import { conversationOf, type ConversationTask } from "@agent-workspace/client";
import { useEffect, useMemo, useState } from "preact/hooks";
import { tasksOfChat, type ProjectLive } from "../../live/project-live.ts";
import { useProjectLive } from "../../live/use-project-live.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Refused } from "../../parts/refused.tsx";
import { ChatHeader } from "./chat-header.tsx";
import { useMayEdit } from "../../service/roles.ts";
import { Composer } from "./composer.tsx";
import { draftOf } from "./draft.ts";
import { Scrolled } from "./scrolled.tsx";
import { TaskView, type TaskActions } from "./task-view.tsx";
import { useHistory } from "./use-history.ts";
import "./chat.css";

/** One chat of a project: its history, what comes live, and where a person writes. */
export function ChatPage({ project, chat }: { project: string; chat: string }) {
  const live = useProjectLive(project);
  const past = useHistory(chat);
  return (
    <div class="chat filling">
      <Loaded title="Chat" of={past.newest}>
        {() => live && <OpenChat project={project} chatId={chat} live={live} past={past} />}
      </Loaded>
    </div>
  );
}

function OpenChat({
  project,
  chatId,
  live,
  past: { history, earlier, newest, readSince },
}: {
  project: string;
  chatId: string;
  live: ProjectLive;
  past: ReturnType<typeof useHistory>;
}) {
  const read = useMemo(() => conversationOf(history?.messages ?? []), [history]);
  const tasks = tasksOfChat(read, live.conversation.value, chatId);
  const open = tasks.filter(({ status }) => status === "running" || status === "queued");
  const atWork = open.find(({ status }) => status === "running") ?? open[0];
  const mayWrite = useMayEdit(project);
  const draft = useMemo(() => draftOf(chatId), [chatId]);
  const [draftVersion, setDraftVersion] = useState(0);
  const actions = useMemo<TaskActions>(
    () => ({
      answer: (approvalId, response) => live.chat.approve(approvalId, response),
      cancel: (taskId) => live.chat.cancel(taskId),
    }),
    [live],
  );
  useEffect(() => {
    // What is written here opens with the chat, as a keyboard is at hand; who went elsewhere while it was read stays there.
    const field = document.getElementById("message");
    if (field && document.activeElement?.contains(field) && matchMedia("(hover: hover)").matches)
      field.focus();
  }, []);
  const connectedAt = live.connectedAt.value;
  useEffect(() => {
    // A task that ended after the messages were read and before the connection was made is in neither.
    if (connectedAt > 0) readSince(connectedAt);
  }, [connectedAt]);
  return (
    <>
      <ChatHeader
        project={project}
        chatId={chatId}
        liveTitle={tasks.findLast(({ title }) => title !== undefined)?.title}
        isAtWork={open.length > 0}
        newest={tasks.at(-1)?.taskId}
        mayChange={mayWrite === true}
        changed={async () => {
          await newest.refetch();
          live.forgetEnded(chatId);
        }}
        undone={(message) => {
          if (draft.read() !== "") return;
          draft.write(message);
          setDraftVersion((version) => version + 1);
        }}
      />
      <Scrolled count={thingsIn(tasks)}>
        {history?.cursor !== undefined && (
          <p>
            <button type="button" disabled={earlier.isBusy} onClick={() => earlier.run()}>
              Earlier messages
            </button>
          </p>
        )}
        {earlier.error !== undefined && <Refused error={earlier.error} />}
        {tasks.length === 0 && <p class="muted">No messages yet. Tell the agent what to do below.</p>}
        {tasks.map((task) => (
          <TaskView key={task.taskId} task={task} actions={actions} />
        ))}
      </Scrolled>
      <p class="hidden" role="status">
        {lastSaid(tasks)}
      </p>
      {!live.isConnected.value && live.ended.value === undefined && (
        <p class="notice small" role="status">
          Offline. Reconnecting… Nothing is lost or sent twice.
        </p>
      )}
      {live.ended.value !== undefined && <Refused error={live.ended.value} again={() => location.reload()} />}
      {mayWrite === false ? (
        <p class="notice">You are a viewer of this project. Editors can message the agent.</p>
      ) : (
        <Composer
          key={draftVersion}
          chatId={chatId}
          draft={draft}
          send={(message) => live.chat.send({ ...message, chat_id: chatId })}
          stop={atWork && (() => live.chat.cancel(atWork.taskId))}
        />
      )}
    </>
  );
}

/** Most characters that a screen reader is told by itself. */
const MAX_ANNOUNCED = 500;

/** What the agent said last, once the turn is over: text that grows would be read out word by word. */
function lastSaid(tasks: readonly ConversationTask[]): string {
  const turn = tasks.at(-1)?.turns.findLast(({ isComplete, text }) => isComplete && text !== "");
  return turn?.text.slice(0, MAX_ANNOUNCED) ?? "";
}

/** Messages, texts and calls: what a person who reads further up has not seen. */
function thingsIn(tasks: readonly ConversationTask[]): number {
  let count = tasks.length;
  for (const { turns } of tasks) for (const { calls } of turns) count += 1 + calls.length;
  return count;
}
