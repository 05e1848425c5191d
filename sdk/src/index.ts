export { Workspace } from "./workspace.ts";
export type { AccessToken, Fetch, FetchInit, SocketClass, WorkspaceOptions } from "./options.ts";
export {
  BadRequestError,
  ConflictError,
  ConnectionError,
  ForbiddenError,
  GoneError,
  PreconditionFailedError,
  NotFoundError,
  PaymentRequiredError,
  RateLimitError,
  ServerError,
  TimeoutError,
  TooLargeError,
  UnauthorizedError,
  ValidationError,
  WorkspaceError,
} from "./errors.ts";
export { Task } from "./tasks/task.ts";
export type { TaskEvent, ToolResult } from "./tasks/event.ts";
export type { DeploymentEvent } from "./resources/deployments.ts";
export type { StreamOptions } from "./streams/event-stream.ts";
export type { RawBody } from "./http/body.ts";
export type { Method } from "./http/request.ts";
export type { Answer, Body, CallOptions, Query, RequestOptions, RouteName } from "./http/route.ts";
export type { Routes } from "./generated/routes.gen.ts";
/** The types of the API's bodies and answers. */
export type * as api from "./generated/types.gen.ts";
export type {
  AcceptedMessage,
  ApprovalResponse,
  Chat,
  ChatEvent,
  ChatMessage,
  ChatOptions,
} from "./live/chat.ts";
export type { Frame, Socket } from "./live/connection.ts";
export { conversationOf, emptyConversation, fold, isRunning } from "./live/conversation.ts";
export type {
  Conversation,
  ConversationApproval,
  ConversationCall,
  ConversationStatus,
  ConversationTask,
  ConversationTurn,
} from "./live/conversation-task.ts";
export { visible, visibleLine } from "./visible.ts";
export type { Terminal, TerminalOptions, TerminalOutput } from "./live/terminal.ts";
