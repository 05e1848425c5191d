import { conversationOf, type ConversationTask } from "@agent-workspace/client";
import { MessageSquare } from "lucide-preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { tasksOfChat, type ProjectLive } from "../../live/project-live.ts";
import { useProjectLive } from "../../live/use-project-live.ts";
import { Empty } from "../../parts/empty.tsx";
import { FileOpener } from "../../parts/files/opener.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { loadMarkdown } from "../../parts/markdown/markdown.tsx";
import { NoticePrompt } from "../../parts/notice-prompt.tsx";
import { Refused } from "../../parts/refused.tsx";
import { isOnline } from "../../service/online.ts";
import { useListedChat, useMe } from "../../service/reads.ts";
import { useProjectRole } from "../../service/roles.ts";
import { ChatHeader } from "./chat-header.tsx";
import { ChatInput } from "./chat-input.tsx";
import { detailsOf, shownDetails } from "./details.ts";
import { draftOf } from "./draft.ts";
import { choicesOf, messageFields } from "../../service/choices.ts";
import { onTheirWay, post, resume, type Outgoing } from "./outbox.ts";
import { Scrolled } from "./scrolled.tsx";
import { TaskView, type TaskActions } from "./task-view.tsx";
import { useHistory } from "./use-history.ts";
import { useOpener } from "./use-opener.ts";
import { replaceNewest } from "./use-replacement.ts";
import { WaitingMessages } from "./waiting-messages.tsx";
import "./chat.css";

/** One chat of a project: its history, what comes live, and where a person writes. */
export function ChatPage({ project, chat }: { project: string; chat: string }) {
  const live = useProjectLive(project);
  const past = useHistory(chat);
  // While the messages are read.
  useEffect(() => void loadMarkdown(), []);
  return (
    <div class="chat filling">
      <Loaded title="Chat" of={past.newest}>
        {() => live && <OpenChat project={project} chatId={chat} live={live} past={past} />}
      </Loaded>
    </div>
  );
}

interface OpenChatProps {
  project: string;
  chatId: string;
  live: ProjectLive;
  past: ReturnType<typeof useHistory>;
}

function OpenChat({ project, chatId, live, past: { history, earlier, newest, readSince } }: OpenChatProps) {
  const read = useMemo(() => conversationOf(history?.messages ?? []), [history]);
  const details = useMemo(() => detailsOf(history?.messages ?? []), [history]);
  const tasks = tasksOfChat(read, live.conversation.value, chatId);
  const open = tasks.filter(({ status }) => status === "running" || status === "queued");
  const atWork = open.find(({ status }) => status === "running") ?? open[0];
  const isAsking = open.some(({ approvals }) => approvals.some(({ state }) => state === "open"));
  const role = useProjectRole(project);
  const mayWrite = role && role !== "viewer";
  const chat = useListedChat(project, chatId);
  const { data: me } = useMe();
  const mayManage = mayWrite === true && (chat?.is_own === true || role === "admin");
  /** Who wrote a message, where others may: undefined for a chat that nobody else sees. */
  const authorOf = ({ author }: ConversationTask) => {
    const isMine = author?.["id"] === undefined || author["id"] === me?.id;
    if (isMine) return chat?.is_shared === true ? "You" : undefined;
    return typeof author["name"] === "string" ? author["name"] : "Someone";
  };
  const isMine = (task: ConversationTask) => [undefined, "You"].includes(authorOf(task));
  const draft = useMemo(() => draftOf(chatId), [chatId]);
  const [draftVersion, setDraftVersion] = useState(0);
  const opener = useOpener(project, tasks);
  const isOffline = !isOnline.value || !live.isConnected.value;
  const send = (message: Outgoing) =>
    live.chat.send({
      ...message.fields,
      message: message.message,
      attachments: message.attachments,
      chat_id: chatId,
      idempotencyKey: message.key,
    });
  const [said, setSaid] = useState(0);
  const write = (message: string, attachments: readonly object[]) => {
    post(chatId, { message, attachments, fields: messageFields(choicesOf(project).value) }, send);
    setSaid((count) => count + 1);
  };
  const reuse = (text: string) => {
    draft.write(draft.read().trim() === "" ? text : `${draft.read()}\n${text}`);
    setDraftVersion((version) => version + 1);
  };
  const changed = async () => {
    await newest.refetch();
    live.forgetEnded(chatId);
  };
  /** What an action needs when it is taken, which may be long after it was handed out. */
  const now = useRef({ tasks, details, write, reuse, changed });
  now.current = { tasks, details, write, reuse, changed };
  const actions = useMemo<TaskActions>(
    () => ({
      answer: (...answer) => live.chat.approve(...answer),
      cancel: (taskId) => live.chat.cancel(taskId),
      reuse: (text) => now.current.reuse(text),
      replace(taskId, text, isForced) {
        const task = now.current.tasks.find((each) => each.taskId === taskId);
        const files = task ? shownDetails(task, now.current.details.get(taskId)).attachments : [];
        const by = { draft, undone: now.current.changed, post: now.current.write };
        return replaceNewest({ chatId, text, files, isForced }, by);
      },
    }),
    [live],
  );
  useEffect(focusMessage, []);
  useEffect(() => {
    if (mayWrite === true) resume(chatId, send);
  }, [live, mayWrite]);
  const connectedAt = live.connectedAt.value;
  useEffect(() => {
    // A task that ended after the messages were read and before the connection was made is in neither.
    if (connectedAt > 0) readSince(connectedAt);
  }, [connectedAt]);
  return (
    <FileOpener.Provider value={opener}>
      <ChatHeader
        project={project}
        chatId={chatId}
        chat={chat}
        liveTitle={tasks.findLast(({ title }) => title !== undefined)?.title}
        isAtWork={open.length > 0}
        newest={tasks.at(-1)?.taskId}
        mayChange={mayWrite === true}
        mayManage={mayManage}
        mayUndo={mayManage || tasks.slice(-1).every(isMine)}
        changed={changed}
        undone={(message) => {
          if (draft.read() === "") reuse(message);
        }}
      />
      <Scrolled count={thingsIn(tasks)} said={said}>
        {history?.cursor !== undefined && (
          <p>
            <button type="button" disabled={earlier.isBusy} onClick={() => earlier.run()}>
              Earlier messages
            </button>
          </p>
        )}
        {earlier.error !== undefined && <Refused error={earlier.error} />}
        {tasks.length === 0 && onTheirWay(chatId).length === 0 && (
          <Empty icon={MessageSquare} title="No messages yet">
            Tell the agent what to do: it reads and edits the files of this project, and runs commands. Name a
            file with @, or give a command with /.
          </Empty>
        )}
        {tasks.map((task) => (
          <TaskView
            key={task.taskId}
            task={task}
            details={details.get(task.taskId)}
            actions={actions}
            mayWrite={mayWrite === true}
            author={authorOf(task)}
            isReplaceable={task === tasks.at(-1) && isMine(task)}
          />
        ))}
        <WaitingMessages chatId={chatId} isOffline={isOffline} send={send} reuse={reuse} />
      </Scrolled>
      <p class="hidden" role="status">
        {lastSaid(tasks)}
      </p>
      <NoticePrompt />
      {isOffline && live.ended.value === undefined && (
        <p class="notice small" role="status">
          Offline. Reconnecting… Nothing is lost or sent twice.
        </p>
      )}
      {live.ended.value !== undefined && <Refused error={live.ended.value} again={() => location.reload()} />}
      {mayWrite === false ? (
        <p class="notice">You are a viewer of this project. Editors can message the agent.</p>
      ) : (
        <ChatInput
          project={project}
          chatId={chatId}
          draft={draft}
          draftVersion={draftVersion}
          changed={changed}
          reuse={reuse}
          post={write}
          isAsking={isAsking}
          stop={atWork && (() => live.chat.cancel(atWork.taskId))}
        />
      )}
    </FileOpener.Provider>
  );
}

/** What is written here opens with the chat, as a keyboard is at hand; who went elsewhere while it was read stays there. */
function focusMessage(): void {
  const field = document.querySelector<HTMLTextAreaElement>("#message");
  if (!field || !document.activeElement?.contains(field) || !matchMedia("(hover: hover)").matches) return;
  field.focus();
  // A draft goes on where it ends.
  field.setSelectionRange(field.value.length, field.value.length);
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
