export { listApprovals } from "./list-approvals.ts";
export { activeTasks, stopChat, stopTasksOfChat, type ActiveTask } from "./active-tasks.ts";
export { awaitTask } from "./await-task.ts";
export { createChat, defaultWorkspace } from "./create-chat.ts";
export { clearChat, deleteChat } from "./delete-chat.ts";
export { followTask } from "./follow-task.ts";
export { countChats, listChats, listChatsOfProject, type ListedChat } from "./list-chats.ts";
export {
  listMessages,
  listMessagesOfProject,
  messagesOfChats,
  type ChatMessage,
  type MessagePage,
  type Run,
} from "./list-messages.ts";
export { openPosition, ProjectPosition } from "./project-position.ts";
export type { Chat, ChatView } from "./queries/chats.ts";
export { isShownTo, liveTasks, tasksBegunAfter, type LiveTask } from "./queries/live-tasks.ts";
export { newestTask } from "./queries/tasks.ts";
export { removeFiles, UPLOADS_FOLDER, type RemoveFilesDeps } from "./remove-files.ts";
export { isBusy, requireChat, requireChatToManage, requireTask, SHARED_CHECK_MS } from "./require-chat.ts";
export {
  chatFor,
  sendMessage,
  sentBefore,
  type ChatInput,
  type SendDeps,
  type SentMessage,
} from "./send-message.ts";
export { storeSummary, unsummarisedMessages } from "./queries/messages.ts";
export { SEARCHED, type SearchHit } from "./queries/search.ts";
export { searchChats } from "./search-chats.ts";
export { withNotices, type WaitingMessage } from "./with-notices.ts";
export { undoTurn } from "./undo-turn.ts";
export { moveChat, updateChat } from "./update-chat.ts";
export { sidebarTree, type SidebarTree } from "./sidebar-tree.ts";
